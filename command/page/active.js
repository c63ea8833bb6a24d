// SPDX-FileCopyrightText: 2026 the cudahisto authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// The active picture of a film, inside its black bars: its edges over time, and its most frequent rectangles.

"use strict";

const Active = (() => {
  const { make } = Words;

  function describe ({ x, y, width, height }) {
    if (width === 0 || height === 0)
      return "all black";
    return `${width} × ${height} at ${x},${y}`;
  }

  function describeRatio ({ width, height }) {
    return width === 0 || height === 0 ? "" : `${(width / height).toFixed (2)}:1`;
  }

  return class Active {
    constructor (film) {
      Object.assign (this, { film, facts: film.facts.active });
      const { columns } = film, { height } = this.facts;
      const flip = values => values.map (value => height - value); // row 0 is on top
      // For each of the two charts, the farther edge first: the drawn value, and its text.
      this.edges = {
        rows: [["top", flip (columns["active.top"]), "greatest"], ["bottom", flip (columns["active.bottom"]), "least"]],
        columns: [["right", columns["active.right"], "greatest"], ["left", columns["active.left"], "least"]],
      };
    }

    build (panel) {
      const { film, facts } = this, { view } = film;
      this.readout = make ("output", { class: "active", "aria-live": "off" });
      const host = make ("div", {});
      const made = panel ("Active picture", make ("span", { class: "legend" }, "inside black bars, in pixels"), host,
        this.readout);
      made.classList.add ("active-picture");
      this.charts = [["rows", facts.height, false], ["columns", facts.width, true]].map (([which, top, hasAxis]) => {
        const chart = make ("div", { class: `chart active-${which}` });
        const lane = which === "rows" ? "rows, from top to bottom" : "columns, from left (below) to right";
        host.append (make ("p", { class: "lane" }, lane), chart);
        const made = Charts.makeActive (chart, view, `Active picture, ${which}, over ${view.axis}: ${film.facts.name}`, top,
          which === "rows", hasAxis);
        made.which = which;
        return made;
      });
      return this.charts;
    }

    draw (chart, plan, places) {
      const { film } = this;
      chart.update ([places, ...this.edges[chart.which].map (([name, values, least]) =>
        Data.takeY (film.remember (`active.${name}`, () => new Data.Pyramid (values)), plan, least))], plan.level > 0);
    }

    read (index) {
      const { columns } = this.film;
      if (index === null) {
        this.readout.replaceChildren ();
        return;
      }
      const [left, top, right, bottom] = ["left", "top", "right", "bottom"].map (edge => columns[`active.${edge}`][index]);
      const isBlack = Number.isNaN (left);
      const rectangle = { x: left, y: top, width: isBlack ? 0 : right - left, height: isBlack ? 0 : bottom - top };
      this.readout.textContent = `${describe (rectangle)}  ${describeRatio (rectangle)}`;
    }

    // Describes the most frequent rectangle, if it is not the whole picture.
    describeMain () {
      const [main] = this.facts.rectangles.filter (one => one.width > 0 && one.height > 0);
      if (!main || (main.width === this.facts.width && main.height === this.facts.height))
        return null;
      return `active picture ${describe (main)} (${describeRatio (main)})`;
    }

    buildTable () {
      const { film, facts } = this;
      const heads = [["Rectangle"], ["Ratio", "number"], ["Frames", "number"], ["Share", "number"], ["First frame", "number"]];
      const hasTimes = facts.rectangles.some (one => one.time !== null);
      if (hasTimes)
        heads.push (["Time", "number"]);
      const rows = facts.rectangles.map (one => {
        const cells = [[describe (one)], [describeRatio (one), "number"], [Words.count (one.frames), "number"],
          [Words.percent (one.frames / facts.frames), "number"], [Words.index (one.frame), "number"]];
        if (hasTimes)
          cells.push ([Words.time (one.time === null ? null : one.time / 1e9), "number"]);
        return film.row (cells, () => film.go (film.xOf (one)));
      });
      const all = facts["has-others"] ? `more than ${Words.count (facts.count)}` : Words.count (facts.count);
      const title = facts.count > rows.length ? `Active picture: the ${rows.length} most frequent of ${all}` : "Active picture";
      const table = film.table (title, heads, rows, "active");
      table.append (make ("p", { class: "about" }, "The active picture is the smallest rectangle outside of which each row "
        + "and each column is black."));
      return table;
    }
  };
}) ();
