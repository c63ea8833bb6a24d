/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Verdicts as JUnit XML, which CI systems read: a test suite for each film, a test case for each rule. A rule of severity
 * warning never fails: its finding is the output of its test case. */

#pragma once

#include "policy/verdict.h"

void verdict_junit_begin (GString *xml);
void verdict_junit_append (GString *xml, const Verdict *verdict);
void verdict_junit_end (GString *xml);
