// SPDX-FileCopyrightText: 2026 the cudahisto authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// What all charts of the page show together: which axis, from where to where, what the pointer is at, and what was chosen.

"use strict";

class View {
  // `draw` and `read` are called before the next frame of the screen, after what is seen, or pointed at, has changed.
  constructor (draw, read) {
    Object.assign (this, { draw, read, films: [], axis: "time", from: 0, to: 1, least: 0, greatest: 1 });
    this.chosen = this.at = this.value = null;
    this.isDrawDue = this.isReadDue = false;
  }

  setAxis (axis) {
    this.axis = axis;
    this.chosen = this.at = null;
    const ranges = this.films.map (film => film.getRange (axis)).filter (range => range !== null);
    this.least = ranges.length > 0 ? Math.min (...ranges.map (range => range[0])) : 0;
    this.greatest = ranges.length > 0 ? Math.max (...ranges.map (range => range[1])) : 1;
    if (!(this.greatest > this.least))
      this.greatest = this.least + 1;
    const points = Math.max (1, ...this.films.map (film => film.points));
    this.narrowest = Math.min (this.greatest - this.least, (this.greatest - this.least) / points * 3);
    this.show (this.least, this.greatest);
  }

  show (from, to) {
    const span = Math.min (Math.max (to - from, this.narrowest), this.greatest - this.least);
    const middle = (from + to) / 2;
    from = Math.min (Math.max (middle - span / 2, this.least), this.greatest - span);
    const hasMoved = from !== this.from || from + span !== this.to;
    this.from = from;
    this.to = from + span;
    this.#drawSoon ();
    return hasMoved;
  }

  get isWhole () {
    return this.from <= this.least && this.to >= this.greatest;
  }

  // What is at `place`, 0 to 1 of the width, stays there. FALSE: it cannot be moved so.
  zoom (factor, place = 0.5) {
    const span = this.to - this.from;
    const wanted = Math.min (Math.max (span * factor, this.narrowest), this.greatest - this.least);
    if (Math.abs (wanted - span) < span * 1e-9)
      return false;
    const fixed = this.from + span * place;
    return this.show (fixed - wanted * place, fixed + wanted * (1 - place));
  }

  pan (share) {
    const shift = (this.to - this.from) * share;
    return this.show (this.from + shift, this.to + shift);
  }

  reset () {
    return this.show (this.least, this.greatest);
  }

  point (x, value = null) {
    this.at = x;
    this.value = value;
    this.#readSoon ();
  }

  choose (x) {
    this.chosen = x;
    this.at = x;
    this.value = null;
    if (x !== null && (x < this.from || x > this.to)) {
      const half = (this.to - this.from) / 2;
      this.show (x - half, x + half);
    }
    this.#drawSoon ();
    this.#readSoon ();
  }

  // FALSE: it means nothing here. `film` is the one whose chart has the focus.
  pressKey (key, isShift, film) {
    const here = this.chosen ?? this.at ?? this.from;
    const moves = {
      "ArrowLeft": () => isShift ? this.pan (-0.25) : this.choose (film.findNeighbour (here, -1)),
      "ArrowRight": () => isShift ? this.pan (0.25) : this.choose (film.findNeighbour (here, 1)),
      "PageUp": () => this.pan (-0.9),
      "PageDown": () => this.pan (0.9),
      "Home": () => this.choose (film.findNeighbour (-Infinity, 1)),
      "End": () => this.choose (film.findNeighbour (Infinity, -1)),
      "+": () => this.#zoomAt (0.5, here),
      "=": () => this.#zoomAt (0.5, here),
      "-": () => this.#zoomAt (2, here),
      "0": () => this.reset (),
      "n": () => this.choose (film.findEvent (here, 1) ?? here),
      "p": () => this.choose (film.findEvent (here, -1) ?? here),
      "Escape": () => this.choose (null),
    };
    moves[key]?.();
    return key in moves;
  }

  #zoomAt (factor, x) {
    const place = (x - this.from) / (this.to - this.from);
    this.zoom (factor, place >= 0 && place <= 1 ? place : 0.5);
  }

  #drawSoon () {
    if (this.isDrawDue)
      return;
    this.isDrawDue = true;
    requestAnimationFrame (() => {
      this.isDrawDue = false;
      this.draw ();
    });
  }

  #readSoon () {
    if (this.isReadDue)
      return;
    this.isReadDue = true;
    requestAnimationFrame (() => {
      this.isReadDue = false;
      this.read ();
    });
  }
}
