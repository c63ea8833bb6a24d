// SPDX-FileCopyrightText: 2026 the cudahisto authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// Numbers, times and names as the page writes them.

"use strict";

const Words = (() => {
  const whole = new Intl.NumberFormat ("en-US", { maximumFractionDigits: 0 });
  const short = new Intl.NumberFormat ("en-US", { maximumSignificantDigits: 4 });

  const MISSING = "–";

  function count (n) {
    return whole.format (n);
  }

  function plural (n, noun) {
    return `${count (n)} ${noun}${n === 1 ? "" : "s"}`;
  }

  // "frame 5", or "frames 5 to 9" of 5 from 5 on.
  function span (noun, first, length) {
    return length > 1 ? `${noun}s ${count (first)} to ${count (first + length - 1)}` : `${noun} ${count (first)}`;
  }

  function number (n) {
    if (n === null || n === undefined || Number.isNaN (n))
      return MISSING;
    if (!Number.isFinite (n))
      return n > 0 ? "∞" : "−∞";
    if (Number.isInteger (n))
      return count (n);
    return Math.abs (n) >= 1 ? n.toFixed (Math.abs (n) >= 1000 ? 1 : 2) : short.format (n);
  }

  function percent (fraction) {
    return Number.isNaN (fraction) ? MISSING : `${short.format (fraction * 100)} %`;
  }

  // 75.04 s is 1:15.040, with as many digits as asked for; hours where there are any.
  function time (seconds, digits = 3) {
    if (seconds === null || Number.isNaN (seconds))
      return MISSING;
    const sign = seconds < 0 ? "−" : "";
    const units = Math.round (Math.abs (seconds) * 10 ** digits);
    const all = Math.floor (units / 10 ** digits);
    const rest = digits > 0 ? "." + String (units % 10 ** digits).padStart (digits, "0") : "";
    const hours = Math.floor (all / 3600), minutes = Math.floor (all / 60) % 60;
    const two = n => String (n).padStart (2, "0");
    return sign + (hours > 0 ? `${hours}:${two (minutes)}` : minutes) + ":" + two (all % 60) + rest;
  }

  function bytes (n) {
    for (const [unit, size] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 1024]])
      if (Math.abs (n) >= size)
        return `${short.format (n / size)} ${unit}`;
    return `${count (n)} B`;
  }

  function digitsOf (step) {
    return step >= 1 ? 0 : step >= 0.1 ? 1 : step >= 0.01 ? 2 : 3;
  }

  // The four things that a horizontal axis can be of.
  const axes = {
    time: {
      steps: [
        0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200,
        14400, 43200, 86400, 172800, 432000, 864000,
      ],
      tick: (x, step) => time (x, digitsOf (step)),
      place: x => time (x),
    },
    frame: {
      steps: null,
      tick: x => Number.isInteger (x) ? count (x) : "",
      place: x => `frame ${count (x)}`,
    },
    byte: {
      steps: Array.from ({ length: 50 }, (_, i) => 2 ** i),
      tick: x => bytes (x),
      place: x => `byte ${count (x)}`,
    },
    result: {
      steps: null,
      tick: x => Number.isInteger (x) ? count (x) : "",
      place: x => `result ${count (x)}`,
    },
  };

  // What a text of a file has in a table; any text may be in a file, also the name of something that every object has.
  function find (table, text, otherwise) {
    return Object.hasOwn (table, text) ? table[text] : otherwise;
  }

  const events = {
    "black": "black",
    "freeze": "freeze",
    "scene-change": "scene change",
    "clipped": "clipped",
  };

  function event (kind) {
    return find (events, kind, kind);
  }

  // Further numbers, in words, and their unit.
  const scalars = {
    "difference": ["difference from the previous frame", ""],
    "saturation-mean": ["saturation, mean", ""],
    "hue-median": ["hue, median", "°"],
    "outliers": ["outliers (TOUT)", "%"],
    "repeats": ["repeated rows (VREP)", "%"],
    "out-of-range": ["out of broadcast range (BRNG)", "%"],
    "out-of-gamut": ["out of gamut (EBU R103)", "%"],
    "metered-luma": ["metered luma", ""],
    "psnr": ["PSNR with the previous frame", "dB"],
    "mse": ["mean squared error from the previous frame", ""],
    "histogram-distance": ["distance of histograms", ""],
    "reference-psnr": ["PSNR with the reference", "dB"],
    "reference-mse": ["mean squared error from the reference", ""],
    "stddev": ["standard deviation", ""],
  };

  function scalar (name) {
    return find (scalars, name, [name, ""]);
  }

  function scalarValue (name, value) {
    if (scalar (name)[1] === "%")
      return percent (value);
    return number (value) + (scalar (name)[1] === "" ? "" : ` ${scalar (name)[1]}`);
  }

  function endedBy (reason) {
    return find ({ "eos": "the end of the stream", "stop": "a stop", "gap": "a missing frame" }, reason, reason);
  }

  // Element `tag` with attributes and children; text is text, whatever is in it.
  function make (tag, attributes = {}, ...children) {
    const element = document.createElement (tag);
    for (const [key, value] of Object.entries (attributes)) {
      if (key.startsWith ("on"))
        element.addEventListener (key.slice (2), value);
      else if (value === true)
        element.setAttribute (key, "");
      else if (value !== false && value !== null && value !== undefined)
        element.setAttribute (key, value);
    }
    element.append (...children.filter (child => child !== null && child !== undefined));
    return element;
  }

  return { MISSING, axes, count, plural, span, number, percent, time, bytes, find, event, scalar, scalarValue, endedBy, make };
}) ();
