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

  // The index of a frame. A field may begin in its middle.
  function index (n) {
    return count (Math.floor (n));
  }

  // "frame 5", or "frames 5 to 9" of 5 from 5 on.
  function span (noun, first, length) {
    return length > 1 ? `${noun}s ${index (first)} to ${index (Math.ceil (first + length) - 1)}` : `${noun} ${index (first)}`;
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

  // 75.04 s is 1:15.040; with the requested number of digits, and hours if needed.
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

  // The four kinds of horizontal axis.
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
      place: x => `frame ${index (x)}`,
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

  // Looks up a text from a file in a table. The text may be the name of a property that every object has.
  function find (table, text, otherwise) {
    return Object.hasOwn (table, text) ? table[text] : otherwise;
  }

  // Events: their name, their value and their threshold in words, and a sentence that explains them.
  const events = {
    "black": {
      name: "black", value: n => `${percent (n)} black`, threshold: n => `at least ${percent (n)}`,
      about: "Nearly all luma samples of each frame are black. The value is the share of black samples in the first frame.",
    },
    "freeze": {
      name: "freeze", value: n => `${percent (n)} difference`, threshold: n => `at most ${percent (n)}`,
      about: "The picture stands still. The value is the mean absolute difference between its first two frames, in percent of "
        + "the range of the samples.",
    },
    "scene-change": {
      name: "scene change", value: n => `score ${number (n)}`, threshold: n => `at least ${number (n)}`,
      about: "A frame differs suddenly from the previous one. The score, 0 to 100, is the smaller of two numbers: the mean "
        + "absolute difference in percent of the range of the samples, and its change since the previous frame.",
    },
    "clipped": {
      name: "clipped", value: n => `${percent (n)} out of gamut`, threshold: n => `more than ${percent (n)}`,
      about: "More samples are outside the levels of EBU R103 than it allows. The value is their share in the first frame.",
    },
    "damaged": {
      name: "damaged", value: number, threshold: number,
      about: "Frames are missing or were decoded with errors. Their numbers are not those of the original picture.",
    },
  };
  const unknownEvent = { value: number, threshold: number, about: null };

  function event (kind) {
    return find (events, kind, { name: kind }).name;
  }

  // Causes of damage. A result joins several by +.
  const causes = {
    "flagged": "marked as corrupted", "decoder": "decoder error", "undecoded": "not decoded", "gap": "gap in the timestamps",
    "zeros": "zeros in the file", "cut": "truncated file", "joined": "another film follows in the file",
    "missing": "no file for these pictures",
  };

  function describeCause (cause) {
    return cause.split ("+").map (word => find (causes, word, word)).join (", ");
  }

  function eventValue ({ event, value, cause, missing }) {
    const said = cause !== null ? describeCause (cause)
      : value === null ? MISSING : find (events, event, unknownEvent).value (value);
    return said + (missing > 0 ? `, ${plural (missing, "frame")} missing` : "");
  }

  function eventThreshold ({ event, threshold }) {
    return threshold === null ? "" : find (events, event, unknownEvent).threshold (threshold);
  }

  // A sentence, or null for an unknown kind.
  function eventAbout (kind) {
    return find (events, kind, unknownEvent).about;
  }

  // Further numbers, by name: their title, their unit ("level": a sample value), and a sentence that explains them.
  let scalars = {};

  function describeScalars (descriptions) {
    scalars = descriptions;
  }

  function scalar (name) {
    return find (scalars, name, { title: name, unit: "", about: null });
  }

  // Names and explanations of the numbers that have one.
  function terms (names) {
    return [...new Set (names)].map (scalar).filter (one => one.about).map (({ title, about }) => [title, about]);
  }

  // `depth`: bits of the samples that the value was measured on.
  function scalarValue (name, value, depth) {
    const { unit } = scalar (name);
    if (unit === "%")
      return percent (value);
    if (unit === "level")
      return level (value, depth);
    if (unit === "saturation")
      return `${number (value)} of ${count (Math.floor (Math.SQRT2 * 2 ** (depth - 1)))}`;
    return number (value) + (unit === "" ? "" : ` ${unit}`);
  }

  // A sample value, and the largest possible one.
  function level (value, depth) {
    return `${number (value)} of ${count (2 ** depth - 1)}`;
  }

  function endedBy (reason) {
    return find ({ "eos": "the end of the stream", "stop": "a stop", "gap": "a missing frame" }, reason, reason);
  }

  // Makes an element. Strings among the children become text, not HTML. Attributes that begin with "on" are event handlers.
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

  return {
    MISSING, axes, count, index, plural, span, number, percent, time, bytes, find, event, eventValue, eventThreshold, eventAbout,
    describeScalars, scalar, terms, scalarValue, level, endedBy, make,
  };
}) ();
