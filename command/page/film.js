// SPDX-FileCopyrightText: 2026 the cudahisto authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// One file of the page: its columns, its charts, its histogram and its tables.

"use strict";

const Film = (() => {
  const { make } = Words;
  const BINS = 256;
  const LEVELS = ["min", "low", "median", "mean", "high", "max"]; // columns that report/curve.c writes for each component

  function describePart (part) {
    if (part.format === "bytes")
      return "bytes";
    const rate = part.framerate ? `, ${describeRate (part)}` : "";
    const range = Words.find ({ "limited": ", limited range", "full": ", full range" }, part.range, "");
    return `${part.format} ${part.width} × ${part.height}, ${part.depth} bits${range}${rate}`;
  }

  function describeRate (part) {
    const [n, d] = part.framerate.split ("/").map (Number);
    return n === 0 ? "variable rate" : `${Number ((n / d).toFixed (3))} ${part["is-of-fields"] ? "fields" : "frames"}/s`;
  }

  // Changes indices and numbers of fields to those of the film's frames, of two fields each.
  function countFrames (facts, columns) {
    const places = [...facts.events, ...facts.extremes, ...facts.active?.rectangles ?? [], ...facts.active ? [facts.active] : []];
    facts.frames = Math.ceil (facts.frames / 2);
    for (const place of places) {
      if (Number.isFinite (place.frame))
        place.frame /= 2;
      if (Number.isFinite (place.frames))
        place.frames = Math.ceil (place.frames / 2);
    }
    for (const column of [columns.frame, columns.frames])
      column.forEach ((n, i) => column[i] = n / 2);
  }

  // The nominal range of a component in ITU-R BT.601, BT.709 and BT.2100.
  function limitsOf (part, component) {
    if (part === undefined || part.range !== "limited" || component === "A" || component === "byte")
      return [];
    const factor = 2 ** (part.depth - 8);
    return [16 * factor, (component === "U" || component === "V" ? 240 : 235) * factor];
  }

  return class Film {
    constructor (facts, columns) {
      if (facts["is-of-fields"])
        countFrames (facts, columns);
      Object.assign (this, { facts, columns });
      this.points = facts.points;
      this.xs = {};
      this.ends = {};
      const second = n => n / 1e9;
      const step = facts["results-per-point"];
      if (facts.axes.includes ("time")) {
        this.xs.time = Float64Array.from (columns.time, second);
        this.ends.time = this.#endsOf (this.xs.time, columns.duration.map (second), this.#findLasting ());
      }
      this.xs.frame = columns.frame;
      this.ends.frame = this.#endsOf (columns.frame, columns.frames);
      if (columns.offset) {
        this.xs.byte = columns.offset;
        this.ends.byte = this.#endsOf (columns.offset, columns.size);
      }
      this.xs.result = Float64Array.from ({ length: this.points }, (_, i) => i * step);
      this.ends.result = this.xs.result.map (x => Math.min (x + step, facts.results));
      this.region = null;
      this.component = facts.curves[0]?.component ?? null;
      this.scalar = null;
      this.cache = new Map ();
      this.all = []; // charts
      this.events = new Events (this);
      this.active = facts.active === null ? null : new Active (this);
      this.light = Light.isIn (facts) ? new Light (this) : null;
    }

    // Finds the points that last until the next one. Ignores their durations, which are averages at a variable frame rate.
    // Excludes points before missing frames.
    #findLasting () {
      const { frame, frames } = this.columns;
      const holes = this.facts.events.filter (event => event.missing > 0).sort ((a, b) => a.frame - b.frame);
      const begins = holes.map (hole => hole.frame);
      let end = -Infinity;
      const ends = holes.map (hole => end = Math.max (end, hole.frame + hole.frames));
      const isAfterHole = n => ends[Data.findIndex (begins, n)] >= n;
      return Array.from (frame, (first, i) => first + frames[i] === frame[i + 1] && !isAfterHole (frame[i + 1]));
    }

    // Returns the ends of results: at most the start of the next one, and exactly that if the result `lasts`. A result of
    // unknown duration extends to the next one. The last result is as long as the one before.
    #endsOf (starts, lengths, lasts = []) {
      const last = starts.length - 1;
      return starts.map ((start, i) => {
        const next = i < last ? starts[i + 1] : Infinity;
        const end = lasts[i] ? next : start + lengths[i];
        if (end > start && end <= next)
          return end;
        return i < last ? next : start + (last > 0 ? start - starts[last - 1] : 0);
      });
    }

    // The extent of the results and events. There may be only events.
    getRange (axis) {
      const xs = this.xs[axis];
      const isOfEvents = axis === "time" || axis === "frame";
      const places = isOfEvents ? this.events.all.map (event => this.events.place (event, axis)) : [];
      const [starts, ends] = [0, 1].map (n => places.map (place => place[n]).filter (Number.isFinite));
      if (xs.length > 0) {
        starts.push (xs[0]);
        ends.push (this.ends[axis][xs.length - 1]);
      }
      const least = starts.reduce ((a, b) => Math.min (a, b), Infinity);
      const greatest = ends.concat (starts).reduce ((a, b) => Math.max (a, b), -Infinity);
      return starts.length > 0 ? [least, greatest] : null;
    }

    findNeighbour (x, direction) {
      const xs = this.xs[this.view.axis];
      if (xs.length === 0)
        return x;
      const end = x < 0 ? 0 : xs.length - 1;
      const index = Number.isFinite (x) ? Data.findIndex (xs, x) + direction : end;
      return xs[Math.min (Math.max (index, 0), xs.length - 1)];
    }

    remember (key, compute) {
      if (!this.cache.has (key))
        this.cache.set (key, compute ());
      return this.cache.get (key);
    }

    // ---- selection ----------------------------------------------------------------------------------------------

    get curve () {
      return this.facts.curves.find (curve => curve.region === this.region && curve.component === this.component);
    }

    get scalars () {
      return this.facts.scalars.filter (one => one.region === this.region && [null, this.component].includes (one.component));
    }

    partAt (index) {
      const { parts } = this.facts;
      return parts[Math.max (0, Data.findIndex (parts.map (part => part.point), index))];
    }

    get depth () {
      return Math.max (8, ...this.facts.parts.map (part => part.depth));
    }

    get top () {
      return 2 ** this.depth - 1;
    }

    // Bit depth of a result.
    depthAt (index) {
      return Math.max (8, this.partAt (index)?.depth ?? 8);
    }

    // The legal range, if it is the same in all visible parts.
    get limits () {
      const { parts } = this.facts, index = this.#visible ();
      if (index === null)
        return [];
      const isSeen = (part, i) => part.point <= index[1] && (i + 1 >= parts.length || parts[i + 1].point > index[0]);
      const hasComponent = part => !Number.isNaN (this.columns[`${this.curve?.id}.mean`]?.[part.point]);
      const scale = part => limit => limit * 2 ** (this.depth - part.depth);
      const all = parts.filter (isSeen).filter (hasComponent).map (part => limitsOf (part, this.component).map (scale (part)));
      return all.length > 0 && all.every (one => String (one) === String (all[0])) ? all[0] : [];
    }

    #visible () {
      const xs = this.xs[this.view.axis];
      if (xs.length === 0)
        return null;
      const first = Data.findIndex (xs, this.view.from) - 1, last = Data.findIndex (xs, this.view.to) + 1;
      return [Math.max (0, first), Math.min (xs.length - 1, last)];
    }

    // The index of the result at x; null: there is none.
    indexAt (x) {
      const index = x === null ? -1 : Data.findIndex (this.xs[this.view.axis], x);
      return index < 0 || x > this.ends[this.view.axis][index] ? null : index;
    }

    // Scales values of parts with a lower bit depth to the axis of the highest depth.
    #drawn (name) {
      const values = this.columns[name], { parts } = this.facts, { depth } = this;
      if (parts.every (part => part.depth === depth))
        return values;
      const scaled = Float64Array.from (values);
      parts.forEach ((part, i) => {
        const end = i + 1 < parts.length ? parts[i + 1].point : scaled.length;
        for (let n = part.point; n < end; n++)
          scaled[n] *= 2 ** (depth - part.depth);
      });
      return scaled;
    }

    #pyramid (name) {
      return this.remember (name, () => new Data.Pyramid (this.#drawn (name)));
    }

    // The heat map of a component: start and end of its columns on the axis, and a shade for each bin.
    get heat () {
      const { curve } = this;
      if (!curve?.bins)
        return null;
      const { axis } = this.view;
      const shades = this.remember (`${curve.id}.shades`, () => {
        const counts = this.columns[`${curve.id}.histogram`], shades = new Uint8Array (counts.length);
        for (let from = 0; from < counts.length; from += BINS) {
          let total = 0;
          for (let i = from; i < from + BINS; i++)
            total += counts[i];
          for (let i = from; i < from + BINS; i++)
            if (counts[i] > 0)
              shades[i] = Colours.placeOf (counts[i] / total);
        }
        return shades;
      });
      return this.remember (`${curve.id}.heat.${axis}`, () => {
        const step = this.facts["results-per-column"] / this.facts["results-per-point"];
        const starts = new Float64Array (shades.length / BINS), ends = starts.slice ();
        for (let c = 0; c < starts.length; c++) {
          starts[c] = this.xs[axis][c * step];
          ends[c] = this.ends[axis][Math.min ((c + 1) * step, this.points) - 1];
        }
        return { starts, ends, shades };
      });
    }

    // ---- in words -------------------------------------------------------------------------------------------------------

    describePlace (index) {
      const { columns } = this, parts = [];
      if (columns.offset && !Number.isNaN (columns.offset[index]))
        parts.push (Words.span ("byte", columns.offset[index], columns.size[index]));
      else
        parts.push (Words.span ("frame", columns.frame[index], columns.frames[index]));
      if (!Number.isNaN (columns.time[index]))
        parts.push (Words.time (columns.time[index] / 1e9));
      return parts.join (", ");
    }

    #describeFacts () {
      const { facts } = this, parts = [];
      if (facts.parts.length > 0)
        parts.push (facts.parts.length === 1
          ? describePart (facts.parts[0])
          : `${facts.parts.length} formats, first ${describePart (facts.parts[0])}`);
      const isBytes = facts.parts[0]?.format === "bytes";
      if (isBytes)
        parts.push (Words.bytes (facts.bytes));
      else if (facts.frames > 0)
        parts.push (Words.plural (facts.frames, "frame"));
      if (facts.results !== facts.frames)
        parts.push (Words.plural (facts.results, "result"));
      if (this.xs.time && this.points > 0 && this.ends.time.at (-1) > this.xs.time[0])
        parts.push (Words.time (this.ends.time.at (-1) - this.xs.time[0]));
      const active = this.active?.describeMain ();
      if (active)
        parts.push (active);
      if (facts.backend)
        parts.push (`counted by ${facts.backend}`);
      if (facts["utc-time"])
        parts.push (`measured ${facts["utc-time"].slice (0, 16).replace ("T", " ")} UTC`);
      if (facts.file !== facts.name)
        parts.push (`from ${facts.file}`);
      return parts.join (" · ");
    }

    // ---- the section ----------------------------------------------------------------------------------------------------

    build (number) {
      const { facts } = this;
      const id = `film-${number}`;
      this.readout = make ("div", { class: "readout" });
      this.section = make ("section", { class: "film", id, "aria-labelledby": `${id}-name` },
        make ("header", {},
          make ("div", {},
            make ("h2", { id: `${id}-name` }, facts.name), make ("p", { class: "facts" }, this.#describeFacts ())),
          this.#buildRange ()),
        this.#list (facts.warnings, "warnings"), this.#list (facts.notes, "notes"), this.#buildChoices (id));
      this.body = make ("div", { class: "body" });
      this.charts = make ("div", { class: "charts", role: "tabpanel", "aria-label": "Charts" });
      this.side = make ("aside", { class: "side", "aria-label": "Histogram" });
      this.tables = make ("div", { class: "tables" });
      this.body.append (this.charts, this.side);
      this.section.append (this.body, this.tables);
      return this.section;
    }

    #list (sentences, className) {
      return sentences.length > 0 ? make ("ul", { class: className }, ...sentences.map (one => make ("li", {}, one))) : null;
    }

    // The visible part.
    #buildRange () {
      this.range = make ("output", { class: "range" });
      this.resetButton = make ("button", { type: "button", class: "reset", onclick: () => this.view.reset () }, "show all");
      return make ("p", { class: "shown" }, "shown: ", this.range, " ", this.resetButton);
    }

    #showRange () {
      const { view } = this, { place } = Words.axes[view.axis];
      this.range.textContent = view.isWhole ? "the whole" : `${place (Math.max (view.from, view.least))} to ${place (view.to)}`;
      this.resetButton.disabled = view.isWhole;
    }

    #buildChoices (id) {
      const { facts } = this;
      const names = [...new Set (facts.curves.map (curve => curve.component))];
      const regions = [...new Set (facts.curves.map (curve => curve.region))];
      if (names.length === 0)
        return null;
      this.tabs = names.map (name => make ("button", {
        type: "button", role: "tab", id: `${id}-tab-${name}`, "aria-controls": `${id}-charts`,
        onclick: () => this.#chooseComponent (name), onkeydown: event => this.#moveTab (event),
      }, name));
      return make ("div", { class: "choices" },
        make ("div", { role: "tablist", "aria-label": "Component" }, ...this.tabs),
        regions.length > 1 ? make ("label", {}, "Region ", make ("select", {
          class: "region",
          onchange: event => { this.region = regions[event.target.value]; this.#changed (); },
        }, ...regions.map ((region, i) => make ("option", { value: i }, region ?? "whole picture")))) : null,
        this.readout);
    }

    #chooseComponent (name) {
      this.component = name;
      this.#changed ();
    }

    #moveTab (event) {
      const direction = { "ArrowRight": 1, "ArrowLeft": -1 }[event.key];
      if (direction === undefined)
        return;
      const next = this.tabs[(this.tabs.indexOf (event.target) + direction + this.tabs.length) % this.tabs.length];
      next.focus ();
      next.click ();
      event.preventDefault ();
    }

    #changed () {
      this.#markTabs ();
      this.#fillScalars ();
      this.extremes.fill ();
      this.setUp ();
      this.draw ();
      this.read ();
      this.showHistogram ();
    }

    #markTabs () {
      for (const tab of this.tabs ?? []) {
        const isChosen = tab.textContent === this.component;
        if (isChosen)
          this.charts.setAttribute ("aria-label", `Charts of ${this.component}`);
        tab.setAttribute ("aria-selected", String (isChosen));
        tab.tabIndex = isChosen ? 0 : -1;
      }
    }

    #panel (title, legend, host, extra = null) {
      const panel = make ("figure", { class: "panel" },
        make ("figcaption", {}, make ("span", { class: "title" }, title), legend, extra), host);
      this.charts.append (panel);
      return panel;
    }

    // The text of the selected position for a screen reader.
    speak () {
      const parts = [this.readout.innerText];
      if (this.scalar !== null)
        parts.push (`${Words.scalar (this.scalar).title}: ${this.scalarReadout.textContent}`);
      if (this.active !== null)
        parts.push (`active picture: ${this.active.readout.textContent}`);
      if (this.light !== null)
        parts.push (`light: ${this.light.readout.textContent}`);
      return parts.join ("; ").replace (/\s+/g, " ");
    }

    // Makes the charts. The section must be in the document and have a width.
    open () {
      const { facts, view } = this, swatch = (name, text) => make ("span", { class: `swatch ${name}` }, text);
      this.charts.id = `${this.section.id}-charts`;
      if (facts.curves.some (curve => curve["has-levels"])) {
        const levels = make ("div", { class: "chart levels" });
        this.levelsPanel = this.#panel ("Levels", make ("span", { class: "legend" },
          swatch ("mean", "mean"), swatch ("median", "median"), swatch ("band", "low to high (10 to 90 %)"),
          swatch ("outer", "min to max"), swatch ("limit", "nominal range")), levels);
        this.levels = Charts.makeLevels (levels, view, `Levels over ${view.axis}: ${facts.name}`, () => this.limits);
        this.all.push (this.levels);
      }
      if (this.events.places.size > 0) {
        const events = make ("div", { class: "chart events" });
        this.#panel ("Events", make ("span", { class: "legend click" }, "click one to go there"), events);
        this.all.push (Charts.makeEvents (events, view, `Events: ${facts.name}`, this.events.kinds, this.events));
      }
      if (facts.curves.some (curve => curve.bins > 0)) {
        const heat = make ("div", { class: "chart heat" });
        const together = facts["results-per-column"];
        this.heatPanel = this.#panel ("Histogram over time", this.#buildScale (), heat,
          together > 1 ? make ("span", { class: "together" }, `${together} results a column`) : null);
        this.heatChart = Charts.makeHeat (heat, view, `Histogram over ${view.axis}: ${facts.name}`, () => this.heat,
                                           () => this.limits);
        this.all.push (this.heatChart);
      }
      if (this.light !== null)
        this.all.push (this.light.build ((...parts) => this.#panel (...parts), swatch));
      if (this.active !== null)
        this.all.push (...this.active.build ((...parts) => this.#panel (...parts)));
      if (facts.scalars.length > 0) {
        const numbers = make ("div", { class: "chart numbers" });
        this.select = make ("select", {
          "aria-label": "Which number", "aria-describedby": `${this.section.id}-about`,
          onchange: event => { this.scalar = event.target.value; this.#explainScalar (); this.draw (); this.read (); },
        });
        this.scalarReadout = make ("output", { class: "scalar", "aria-live": "off" });
        this.scalarAbout = make ("p", { class: "about", id: `${this.section.id}-about` });
        this.numbersPanel = this.#panel ("Further numbers", this.select, numbers, this.scalarReadout);
        numbers.before (this.scalarAbout);
        this.numbers = Charts.makeNumbers (numbers, view, `Further numbers: ${facts.name}`, () => this.scalar,
          () => this.scalarLimit);
        this.all.push (this.numbers);
      }
      this.#buildSide ();
      this.#markTabs ();
      this.#fillScalars ();
      this.#buildTables ();
      this.setUp ();
    }

    #buildScale () {
      const canvas = make ("canvas", { width: 128, height: 10, role: "img", "aria-label": "Colours from few samples to many" });
      this.scale = canvas;
      return make ("span", { class: "legend scale" }, "0.01 %", canvas, "100 % of the samples");
    }

    paintScale () {
      if (!this.scale)
        return;
      const pen = this.scale.getContext ("2d"), image = pen.createImageData (128, 10);
      const pixels = new Uint32Array (image.data.buffer);
      for (let i = 0; i < pixels.length; i++)
        pixels[i] = Colours.heat[Colours.placeOf (10 ** (-4 + 4 * (i % 128) / 127))];
      pen.putImageData (image, 0, 0);
    }

    setUp () {
      this.paintScale ();
      this.levels?.setY ([0, this.top]);
      this.levelsPanel?.querySelector (".title").replaceChildren (
        `Levels of ${this.component}, 0 to ${Words.count (this.top)} (${this.depth} bits)`);
      if (this.heatChart) {
        this.heatPanel.hidden = !this.curve?.bins;
        this.heatChart.setY ([0, this.top + 1]);
      }
    }

    #fillScalars () {
      this.light?.fill ();
      if (!this.select)
        return;
      const names = this.scalars.map (one => one.name);
      this.numbersPanel.hidden = names.length === 0;
      if (!names.includes (this.scalar))
        this.scalar = names[0] ?? null;
      this.select.replaceChildren (...names.map (name =>
        make ("option", { value: name, selected: name === this.scalar }, Words.scalar (name).title)));
      this.#explainScalar ();
    }

    #explainScalar () {
      this.scalarAbout.textContent = this.scalar === null ? "" : Words.scalar (this.scalar).about ?? "";
    }

    // The limit of a number: the threshold of the events, or that of EBU R103; null: none. No field has one: it is the event's.
    get scalarLimit () {
      if (this.scalar !== "out-of-gamut")
        return null;
      return this.facts.events.find (event => event.event === "clipped")?.threshold ?? 0.01;
    }

    // ---- drawing --------------------------------------------------------------------------------------------------------

    draw () {
      const visible = this.#visible (), xs = this.xs[this.view.axis];
      let plan = null, places = null;
      if (visible !== null) {
        const width = this.levels?.plot.bbox.width ?? 1000;
        plan = Data.planSlice (visible[0], visible[1], width);
        places = Data.takeX (xs, plan, this.ends[this.view.axis]);
      }
      for (const chart of this.all) {
        if (chart === this.levels && plan !== null && this.curve)
          chart.update ([places, ...Charts.LEVELS.map (([name, which]) =>
            Data.takeY (this.#pyramid (`${this.curve.id}.${name}`), plan, which))], plan.level > 0);
        else if (chart === this.numbers && plan !== null && this.scalar !== null)
          this.#drawNumbers (chart, plan, places);
        else if (chart === this.light?.chart && plan !== null)
          this.light.draw (plan, places);
        else if (chart.which && plan !== null)
          this.active.draw (chart, plan, places);
        else
          chart.update ();
      }
      this.#showRange ();
    }

    get scalarColumn () {
      return this.scalars.find (one => one.name === this.scalar)?.id;
    }

    #drawNumbers (chart, plan, places) {
      const column = this.scalarColumn;
      const values = Data.takeY (this.remember (column, () => new Data.Pyramid (this.columns[column])), plan, "both");
      const finite = values.filter (Number.isFinite);
      let low = Math.min (0, ...finite), high = Math.max (...finite, low, this.scalarLimit ?? low);
      if (!(high > low))
        high = low + 1;
      chart.setY ([low, high + (high - low) * 0.06]);
      chart.update ([places, values.map (value => Number.isFinite (value) ? value : null)], plan.level > 0);
    }

    // Shows the values at the pointer or the selected position.
    read () {
      const { view, curve } = this, at = view.at ?? view.chosen;
      const index = this.indexAt (at);
      for (const chart of this.all)
        chart.placeCursor (view.at);
      this.active?.read (index);
      this.light?.read (index);
      if (index === null || !curve) {
        this.readout.replaceChildren (make ("span", { class: "hint" }, this.points > 0
          ? "point at a chart for its values; click for the histogram" : ""));
        this.scalarReadout?.replaceChildren ();
        return;
      }
      const value = name => this.columns[`${curve.id}.${name}`][index];
      const fields = LEVELS.map (name =>
        make ("span", { class: `value ${name}` }, make ("span", { class: "name" }, name), " ",
          make ("b", { "data-field": name }, Words.number (value (name)))));
      const place = make ("span", { class: "place", "data-index": index }, this.describePlace (index));
      const near = this.#countAround (at), events = this.events.describeAt (...this.#spanOf (index));
      const more = make ("span", { class: "more" });
      if (view.value !== null && this.heat !== null)
        more.append (this.#describeShare (view.at, view.value) ?? "");
      if (near > 1 && view.share !== null)
        more.append (make ("span", { class: "near" }, `one of ${Words.plural (near, "result")} at this pixel`));
      if (events !== "")
        more.append (make ("span", { class: "happens" }, events));
      this.readout.replaceChildren (place, ...fields, more);
      if (this.scalar !== null)
        this.scalarReadout?.replaceChildren (
          Words.scalarValue (this.scalar, this.columns[this.scalarColumn][index], this.depthAt (index)));
    }

    #spanOf (index) {
      const { axis } = this.view;
      return [this.xs[axis][index], this.ends[axis][index]];
    }

    // The number of results at the pixel of x.
    #countAround (x) {
      const { view } = this, half = (view.to - view.from) / (this.all[0]?.plot.over.clientWidth || 1) / 2;
      const xs = this.xs[view.axis];
      return Data.findIndex (xs, x + half) - Math.max (0, Data.findIndex (xs, x - half));
    }

    #columnAt (index) {
      return Math.floor (index / (this.facts["results-per-column"] / this.facts["results-per-point"]));
    }

    // Describes the results in a column of the heat map, whose sum the histogram is.
    #describeColumn (index) {
      const { facts, columns } = this, step = facts["results-per-column"] / facts["results-per-point"];
      const first = this.#columnAt (index) * step, last = Math.min (first + step, this.points) - 1;
      if (columns.offset && !Number.isNaN (columns.offset[first]))
        return Words.span ("byte", columns.offset[first], columns.offset[last] + columns.size[last] - columns.offset[first]);
      const length = columns.frame[last] + columns.frames[last] - columns.frame[first];
      if (length > 0)
        return Words.span ("frame", columns.frame[first], length);
      const from = first * facts["results-per-point"]; // of several runs
      return Words.span ("result", from, Math.min (from + facts["results-per-column"], facts.results) - from);
    }

    // Shows the share of samples with the value at the pointer, in the heat map.
    #describeShare (x, value) {
      const index = this.indexAt (x), step = (this.top + 1) / BINS, row = Math.floor (value / step);
      if (index === null || row < 0 || row >= BINS)
        return null;
      const counts = this.columns[`${this.curve.id}.histogram`], at = this.#columnAt (index) * BINS;
      let total = 0;
      for (let i = at; i < at + BINS; i++)
        total += counts[i];
      const together = this.facts["results-per-column"], shared = together > 1 ? ` in ${this.#describeColumn (index)}` : "";
      const name = make ("span", { class: "name" }, Words.span ("value", row * step, step) + shared);
      return make ("span", { class: "value share" }, name, " ",
        make ("b", {}, total > 0 ? Words.percent (counts[at + row] / total) : Words.MISSING));
    }

    // ---- histogram ------------------------------------------------------------------------------------------------------

    #buildSide () {
      if (!this.facts.curves.some (curve => curve.bins > 0)) {
        this.body.classList.add ("without-side");
        return;
      }
      const host = make ("div", { class: "chart histogram" });
      this.sideTitle = make ("span", { class: "title" });
      this.sideNote = make ("p", { class: "note" });
      this.sideReadout = make ("output", { class: "side-readout" });
      this.sideChosen = make ("h3", { class: "chosen" });
      this.sideNumbers = make ("dl", { class: "numbers" });
      const logarithmic = make ("input", {
        type: "checkbox", onchange: () => this.histogram.setLogarithmic (logarithmic.checked),
      });
      const all = make ("button", { type: "button", class: "all", onclick: () => this.view.choose (null) }, "all frames");
      this.sideAll = all;
      this.side.append (make ("figure", { class: "panel" },
        make ("figcaption", {}, this.sideTitle, make ("label", { class: "log" }, logarithmic, " logarithmic")),
        host, this.sideReadout, this.sideNote), this.sideChosen, this.sideNumbers, all);
      this.histogram = new Charts.Histogram (host, index => this.#readBar (index));
    }

    #readBar (index) {
      if (index === null) {
        this.sideReadout.textContent = "";
        return;
      }
      const { counts, step } = this.histogram;
      const total = counts.reduce ((a, b) => a + b, 0);
      const share = Words.percent (total > 0 ? counts[index] / total : NaN);
      this.sideReadout.textContent =
        `${Words.span ("value", index * step, step)}: ${Words.plural (counts[index], "sample")}, ${share}`;
    }

    #sumOfAll (name) {
      return this.remember (`${name}.sum`, () => {
        const counts = this.columns[name], sum = new Float64Array (BINS);
        for (let i = 0; i < counts.length; i++)
          sum[i % BINS] += counts[i];
        return sum;
      });
    }

    showHistogram () {
      if (!this.histogram)
        return;
      const { curve, facts } = this;
      const index = this.indexAt (this.view.chosen);
      const name = `${curve?.id}.histogram`, hasHistogram = curve?.bins > 0;
      const step = (this.top + 1) / BINS;
      let counts = null, note = "", title = "All frames", marks = [];
      this.sideAll.hidden = index === null;
      this.sideChosen.textContent = index === null ? "" : `Levels of ${this.describePlace (index)}`;
      this.sideNumbers.replaceChildren ();
      if (index === null) {
        if (hasHistogram)
          counts = this.#sumOfAll (name);
        if (facts.parts[0]?.format === "bytes")
          title = "All bytes";
        note = "Click a chart for the histogram of a frame.";
      } else {
        const column = this.#columnAt (index), together = facts["results-per-column"];
        title = this.describePlace (index);
        if (hasHistogram)
          counts = this.columns[name].subarray (column * BINS, (column + 1) * BINS);
        if (together > 1) {
          title = this.#describeColumn (index);
          note = `The histogram is the sum of ${together} results: the page has none of each.`;
        }
        const value = field => this.columns[`${curve.id}.${field}`][index];
        const scale = 2 ** (this.depth - this.partAt (index).depth);
        marks = ["low", "median", "high"].map (field => [field, value (field) * scale])
          .filter (mark => !Number.isNaN (mark[1]));
        for (const field of ["mean", ...LEVELS.filter (name => name !== "mean")])
          this.sideNumbers.append (make ("div", {}, make ("dt", {}, field),
            make ("dd", { "data-field": field }, Words.number (value (field)))));
      }
      if (!hasHistogram)
        note = this.region !== null ? "The results have no histograms of regions." : "The results have no histograms.";
      this.sideTitle.textContent = title;
      this.sideNote.textContent = note;
      this.sideReadout.textContent = "";
      this.histogram.show (counts, step, marks, this.limits);
    }

    // ---- tables ---------------------------------------------------------------------------------------------------------

    xOf (row) {
      const { axis } = this.view;
      const time = row.time === null ? null : row.time / 1e9;
      return { time, frame: row.frame, byte: row.offset, result: row.result }[axis] ?? null;
    }

    // Selects a position, or a range that starts there, and scrolls to the charts and focuses them.
    go (x) {
      this.view.choose (x);
      this.#show ();
    }

    visit (from, to) {
      this.view.visit (from, to);
      this.#show ();
    }

    #show () {
      this.section.scrollIntoView ();
      this.all[0]?.host.focus ({ preventScroll: true });
    }

    // A table row. Pressing it shows its position in the charts.
    row (cells, go) {
      const row = make ("tr", {}, ...cells.map (([text, kind]) => make ("td", { class: kind }, text)));
      const [text] = row.firstChild.childNodes;
      const button = make ("button", { type: "button", title: "Show it in the charts", onclick: go }, text);
      row.firstChild.replaceChildren (button);
      return row;
    }

    table (title, heads, rows, className) {
      const head = make ("tr", {}, ...heads.map (([text, kind]) => make ("th", { scope: "col", class: kind }, text)));
      return make ("section", { class: `table ${className}` }, make ("h3", {}, title),
        make ("div", { class: "scroll", tabindex: rows.length > 12 || heads.length > 5 ? 0 : null },
          make ("table", {}, make ("thead", {}, head), make ("tbody", {}, ...rows))));
    }

    #buildTables () {
      const { parts } = this.facts, events = this.events.build ();
      this.extremes = new Extremes (this);
      this.tables.append (this.extremes.host);
      if (events !== null)
        this.tables.append (events);
      if (this.active !== null)
        this.tables.append (this.active.buildTable ());
      if (parts.length > 1)
        this.tables.append (this.#buildParts (parts));
    }

    #buildParts (parts) {
      const rows = parts.map (part => this.row ([[describePart (part)], [this.describePlace (part.point), "number"]],
        () => this.go (this.xs[this.view.axis][part.point])));
      return this.table ("Formats, in order", [["Format"], ["From", "number"]], rows, "parts");
    }

    // ---- when something else changes ------------------------------------------------------------------------------------

    resize () {
      for (const chart of this.all)
        chart.resize ();
      this.histogram?.resize ();
    }

    restyle () {
      this.paintScale ();
      for (const chart of this.all)
        chart.plot.redraw (false, true);
      this.histogram?.redraw ();
    }
  };
}) ();
