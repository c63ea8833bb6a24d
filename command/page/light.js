// SPDX-FileCopyrightText: 2026 the cudahisto authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// The light of an HDR film over time, in nits: the largest and the mean of each frame, with MaxCLL and MaxFALL.

"use strict";

const Light = (() => {
  const { make } = Words;
  const MAX = "light-max-nits", MEAN = "light-average-nits";

  // The signal of SMPTE ST 2084 (PQ), from 0 to 1.
  function toSignal (nits) {
    const power = (nits / 10000) ** (2610 / 16384);
    return ((3424 / 4096 + 2413 / 128 * power) / (1 + 2392 / 128 * power)) ** (2523 / 32);
  }

  return class Light {
    static isIn (facts) {
      return facts.scalars.some (one => one.name === MAX);
    }

    constructor (film) {
      Object.assign (this, { film, facts: film.facts });
    }

    build (panel, swatch) {
      const { film, facts } = this, host = make ("div", { class: "chart light" });
      this.readout = make ("output", { class: "light", "aria-live": "off" });
      this.peaks = make ("span", { class: "peaks" });
      this.panel = panel ("Light", make ("span", { class: "legend" }, swatch ("median", "largest"), swatch ("mean", "mean"),
        swatch ("limit", "largest of the film"), this.peaks), host, this.readout);
      this.chart = Charts.makeLight (host, film.view, `Light over ${film.view.axis}: ${facts.name}`, toSignal,
        () => this.limits);
      return this.chart;
    }

    // The values of the selected region; undefined: it has none.
    #find (name) {
      const id = this.facts.scalars.find (one => one.name === name && one.region === this.film.region)?.id;
      return this.film.columns[id];
    }

    #findGreatest (name) {
      return this.facts.extremes.find (row => row.what === `${name}-greatest` && row.region === this.film.region)?.value;
    }

    get limits () {
      return [MAX, MEAN].map (name => this.#findGreatest (name)).filter (Number.isFinite);
    }

    // For the selected region. The largest mean of results of several frames is less than MaxFALL.
    fill () {
      const names = ["MaxCLL", this.facts.frames > this.facts.results ? "largest mean" : "MaxFALL"];
      this.panel.hidden = this.#find (MAX) === undefined;
      this.peaks.textContent = this.limits.map ((nits, i) => `${names[i]} ${Words.number (nits)} nits`).join (", ")
      + (this.film.region === null ? ", of whole frames" : "");
    }

    draw (plan, places) {
      if (this.panel.hidden)
        return;
      const columns = [[MAX, "greatest"], [MEAN, "both"]].map (([name, which]) => {
        const values = this.#find (name);
        const pyramid = this.film.remember (`${this.film.region} ${name} of light`,
                                            () => new Data.Pyramid (values.map (toSignal)));
        return Data.takeY (pyramid, plan, which).map (value => Number.isFinite (value) ? value : null);
      });
      this.chart.update ([places, ...columns], plan.level > 0);
    }

    read (index) {
      const values = [MAX, MEAN].map (name => this.#find (name)?.[index]);
      this.readout.textContent = index === null || values.some (value => value === undefined) ? ""
        : `${Words.number (values[0])} nits, mean ${Words.number (values[1])}`;
    }
  };
}) ();
