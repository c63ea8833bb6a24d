// SPDX-FileCopyrightText: 2026 the cudahisto authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// The table of a component's extremes, with their times and, if the name is not enough, an explanation.

"use strict";

const Extremes = (() => {
  const { make } = Words;

  const NAMES = {
    "mean-least": ["Darkest", "Least mean"],
    "mean-greatest": ["Brightest", "Greatest mean"],
    "min-least": ["Lowest value", "Lowest value"],
    "max-greatest": ["Highest value", "Highest value"],
    "range-greatest": ["Largest range, min to max", "Largest range, min to max"],
    "spread-greatest": ["Most contrast, low to high", "Widest, low to high"],
    "spread-least": ["Least contrast, low to high", "Narrowest, low to high"],
    "change-greatest": ["Largest step of the mean", "Largest step of the mean"],
  };

  const isLuma = name => name === "Y" || name === "GRAY" || name === "luma";
  const scalarOf = row => Object.hasOwn (NAMES, row.what) ? null : row.what.replace (/-(least|greatest)$/, "");

  function nameOf (row) {
    const scalar = scalarOf (row);
    if (scalar === null)
      return NAMES[row.what][isLuma (row.component) ? 0 : 1];
    return Words.scalar (scalar).title.replace (/^./, c => c.toUpperCase ())
      + (row.what.endsWith ("least") ? ", least" : ", greatest");
  }

  return class Extremes {
    constructor (film) {
      this.film = film;
      this.host = make ("div");
      this.fill ();
    }

    #valueOf (row) {
      const { film } = this, depth = film.depthAt (row.result / film.facts["results-per-point"]), scalar = scalarOf (row);
      return scalar === null ? Words.level (row.value, depth) : Words.scalarValue (scalar, row.value, depth);
    }

    // For the selected component and region.
    fill () {
      const { film } = this, { facts } = film;
      const isBytes = facts.parts[0]?.format === "bytes", hasTimes = facts.extremes.some (row => row.time !== null);
      const rows = facts.extremes
        .filter (row => row.region === film.region && (row.component === null || row.component === film.component));
      const heads = [["What"], ["Value", "number"], [isBytes ? "Byte" : "Frame", "number"]];
      if (hasTimes)
        heads.push (["Time", "number"]);
      const made = rows.map (row => {
        const place = Words.index (isBytes ? row.offset : row.frame);
        const cells = [[nameOf (row)], [this.#valueOf (row), "number"], [place, "number"]];
        if (hasTimes)
          cells.push ([Words.time (row.time === null ? null : row.time / 1e9), "number"]);
        const line = film.row (cells, () => film.go (film.xOf (row)));
        line.dataset.what = row.what;
        this.#explain (line, scalarOf (row));
        return line;
      });
      this.host.hidden = rows.length === 0;
      this.host.replaceChildren (film.table (`Extremes of ${film.component}`, heads, made, "extremes"));
    }

    // A button that explains a number, for mouse, touch and keys.
    #explain (line, scalar) {
      const about = scalar === null ? null : Words.scalar (scalar).about;
      if (!about)
        return;
      const id = `${this.film.section.id}-${line.dataset.what}`;
      const text = make ("p", { class: "about", id, hidden: true }, about);
      const button = make ("button", {
        type: "button", class: "explain", "aria-expanded": "false", "aria-controls": id,
        "aria-label": `Explain ${Words.scalar (scalar).title}`,
        onclick: () => {
          text.hidden = !text.hidden;
          button.setAttribute ("aria-expanded", String (!text.hidden));
        },
      }, "?");
      line.firstChild.append (" ", button, text);
    }
  };
}) ();
