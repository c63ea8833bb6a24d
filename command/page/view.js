// SPDX-FileCopyrightText: 2026 the cudahisto authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// The state of a film's charts: axis, visible range, pointer and selection. Views of films on a common axis form a group and
// change together.

"use strict";

class View {
  // After a change of the visible range or of the pointer, calls `draw` and `read` before the next frame of the screen.
  constructor (film, draw, read) {
    Object.assign (this, { film, draw, read, axis: "time", from: 0, to: 1, least: 0, greatest: 1, narrowest: 1 });
    this.group = [this];
    this.chosen = this.at = this.share = this.value = null;
    this.isDrawDue = this.isReadDue = false;
  }

  // Groups the views. Their axis covers all their films.
  static join (views, axis) {
    const ranges = views.map (view => view.film.getRange (axis)).filter (range => range !== null);
    const least = ranges.length > 0 ? Math.min (...ranges.map (range => range[0])) : 0;
    let greatest = ranges.length > 0 ? Math.max (...ranges.map (range => range[1])) : 1;
    if (!(greatest > least))
      greatest = least + 1;
    const points = Math.max (1, ...views.map (view => view.film.points));
    const narrowest = Math.min (greatest - least, (greatest - least) / points * 3);
    for (const view of views)
      Object.assign (view, {
        group: views, axis, least, greatest, narrowest, chosen: null, at: null, share: null, value: null,
      });
    views[0].show (least, greatest);
  }

  show (from, to) {
    const span = Math.min (Math.max (to - from, this.narrowest), this.greatest - this.least);
    const middle = (from + to) / 2;
    from = Math.min (Math.max (middle - span / 2, this.least), this.greatest - span);
    const hasMoved = from !== this.from || from + span !== this.to;
    for (const view of this.group)
      view.#move (from, from + span);
    return hasMoved;
  }

  // The pointer stays on the screen; its position in the film changes.
  #move (from, to) {
    this.from = from;
    this.to = to;
    if (this.share !== null)
      this.at = from + (to - from) * this.share;
    this.#drawSoon ();
    this.#readSoon ();
  }

  get isWhole () {
    return this.from <= this.least && this.to >= this.greatest;
  }

  // Converts a position to a share of the width, 0 to 1 if it is visible.
  shareOf (x) {
    return (x - this.from) / (this.to - this.from);
  }

  // Zooms around `place`, a share of the width. Returns false if nothing changes.
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

  // Sets the pointer to `share`, 0 to 1 of the width, and to `value` on the vertical axis, if used. null: there is no pointer.
  point (share, value = null) {
    for (const view of this.group) {
      view.share = share;
      view.at = share === null ? null : view.from + (view.to - view.from) * share;
      view.value = view === this ? value : null;
      view.#readSoon ();
    }
  }

  choose (x) {
    for (const view of this.group) {
      view.chosen = view.at = x;
      view.share = view.value = null;
      view.#drawSoon ();
      view.#readSoon ();
    }
    if (x !== null && (x < this.from || x > this.to)) {
      const half = (this.to - this.from) / 2;
      this.show (x - half, x + half);
    }
  }

  // Selects a start, and zooms so that the whole range is visible with some margin.
  visit (from, to) {
    const seen = this.to - this.from, wanted = Math.max (3 * (to - from), 20 * this.narrowest);
    if (from < this.from || to > this.to || seen > 2 * wanted) {
      const middle = (from + to) / 2;
      this.show (middle - wanted / 2, middle + wanted / 2);
    }
    this.choose (from);
  }

  // Returns false if the key has no function.
  pressKey (key, isShift) {
    const { film } = this, here = this.chosen ?? this.at ?? this.from;
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
      "n": () => this.choose (film.events.findNext (here, 1) ?? here),
      "p": () => this.choose (film.events.findNext (here, -1) ?? here),
      "Escape": () => this.choose (null),
    };
    moves[key]?.();
    return key in moves;
  }

  #zoomAt (factor, x) {
    const place = this.shareOf (x);
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
