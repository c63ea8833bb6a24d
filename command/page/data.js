// SPDX-FileCopyrightText: 2026 the cudahisto authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// The data of the page: columns of numbers, packed as in `command/report/packing.c`, and their reduction for drawing.

"use strict";

const Data = (() => {
  const UNKNOWN = 0xffffffff;

  function bytesOfBase64 (text) {
    if (Uint8Array.fromBase64)
      return Uint8Array.fromBase64 (text);
    const binary = atob (text);
    const bytes = new Uint8Array (binary.length);
    for (let i = 0; i < binary.length; i++)
      bytes[i] = binary.charCodeAt (i);
    return bytes;
  }

  async function inflate (bytes) {
    const stream = new Blob ([bytes]).stream ().pipeThrough (new DecompressionStream ("deflate"));
    return new Uint8Array (await new Response (stream).arrayBuffer ());
  }

  // Converts planes of bytes, lowest first, to numbers, and adds to each the one `delta` places before.
  function readColumn (bytes, position, column) {
    const { type, length, delta } = column;
    const size = type === "f64" ? 8 : 4;
    const whole = new Uint8Array (length * size);
    for (let plane = 0; plane < size; plane++) {
      const from = position + plane * length;
      for (let i = 0, to = plane; i < length; i++, to += size)
        whole[to] = bytes[from + i];
    }
    const numbers = type === "f64" ? new Float64Array (whole.buffer) : new Uint32Array (whole.buffer);
    if (delta > 0)
      for (let i = delta; i < length; i++)
        numbers[i] += numbers[i - delta];
    return { numbers, size: length * size };
  }

  function toDoubles (numbers) {
    const doubles = new Float64Array (numbers.length);
    for (let i = 0; i < numbers.length; i++)
      doubles[i] = numbers[i] === UNKNOWN ? NaN : numbers[i];
    return doubles;
  }

  // Returns a map from names to typed arrays. Unknown counts and values become NaN.
  async function read (text, layout) {
    const bytes = await inflate (bytesOfBase64 (text.trim ()));
    const columns = {};
    let position = 0;
    for (const column of layout) {
      const { numbers, size } = readColumn (bytes, position, column);
      columns[column.name] = column.optional ? toDoubles (numbers) : numbers;
      position += size;
    }
    return columns;
  }

  // The last index whose value is at most x, or -1; `values` ascend.
  function findIndex (values, x) {
    let low = 0, high = values.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (values[middle] <= x)
        low = middle + 1;
      else
        high = middle;
    }
    return low - 1;
  }

  // Minima and maxima of 2, 4, 8 ... neighbours, so that a view of any length is drawn from a few thousand.
  class Pyramid {
    constructor (values) {
      this.least = [values];
      this.greatest = [values];
      for (let length = values.length; length > 1; length = (length + 1) >> 1) {
        this.least.push (this.#halve (this.least.at (-1), (a, b) => a > b ? b : a));
        this.greatest.push (this.#halve (this.greatest.at (-1), (a, b) => a < b ? b : a));
      }
    }

    #halve (values, pick) {
      const half = new Float64Array ((values.length + 1) >> 1);
      for (let i = 0; i < half.length; i++) {
        const a = values[2 * i], b = 2 * i + 1 < values.length ? values[2 * i + 1] : NaN;
        half[i] = Number.isNaN (a) ? b : Number.isNaN (b) ? a : pick (a, b);
      }
      return half;
    }
  }

  // Chooses the level and the range of the pyramids to draw the results from..to (inclusive) in `pixels`.
  function planSlice (from, to, pixels) {
    let level = 0;
    if (to - from + 1 > 2 * pixels)
      while ((to - from + 1) / 2 ** level > pixels)
        level++;
    return { level, first: from >> level, last: to >> level };
  }

  // Returns two points for each group of results (its minimum and maximum, or twice the requested one), and one for a single
  // result. The last result extends to its end.
  function takeX (xs, plan, ends) {
    const step = 2 ** plan.level, taken = [];
    for (let i = plan.first; i <= plan.last; i++) {
      taken.push (xs[i * step]);
      if (plan.level > 0)
        taken.push (xs[Math.min (i * step + step / 2, xs.length - 1)]);
    }
    if ((plan.last + 1) * step >= xs.length)
      taken.push (ends[xs.length - 1]);
    return taken;
  }

  function takeY (pyramid, plan, which) {
    const least = pyramid.least[plan.level], greatest = pyramid.greatest[plan.level];
    const first = which === "greatest" ? greatest : least, second = which === "least" ? least : greatest;
    const taken = [];
    for (let i = plan.first; i <= plan.last; i++) {
      taken.push (Number.isNaN (first[i]) ? null : first[i]);
      if (plan.level > 0)
        taken.push (Number.isNaN (second[i]) ? null : second[i]);
    }
    if (plan.last + 1 >= first.length)
      taken.push (taken.at (-1));
    return taken;
  }

  return { read, findIndex, Pyramid, planSlice, takeX, takeY };
}) ();
