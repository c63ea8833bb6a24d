/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A rule of a policy, from a section of its file, and what it has to have measured. */

#pragma once

#include "policy/policy.h"
#include "policy/policyfile.h"

/* NULL: `error` has the line and the reason. */
Rule *policy_rule_new (const PolicyFile *file, const gchar *section, GError **error);
void policy_rule_free (Rule *rule);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Rule, policy_rule_free)

/* Returns the STATISTIC_* that it needs. */
guint32 policy_rule_get_statistics (const Rule *rule);

/* Returns the kind of the events that it needs, or NULL. */
const gchar *policy_rule_get_event (const Rule *rule);
