// SPDX-FileCopyrightText: 2026 the cudahisto authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// The verdicts on the films, above them. Only pages with verdicts have this file.

"use strict";

const Verdict = (() => {
  const { make } = Words;
  const MOST_PLACES = 5; // before others are folded
  const HEADS = { outcome: "Outcome", rule: "Rule", severity: "Severity", value: "Value", limit: "Limit", places: "Places",
    longest: "Longest" };

  const isWarning = rule => rule.outcome === "fail" && rule.severity === "warning";

  function buildOutcome (outcome) {
    return make ("b", { class: `outcome ${outcome}` }, outcome.replace ("-", " "));
  }

  // On a narrow screen, a cell has its head as a label, and is omitted if it is empty.
  function buildCell (name, ...content) {
    const isEmpty = content.every (part => part === "");
    return make ("td", { class: isEmpty ? `${name} empty` : name, "data-head": HEADS[name] },
      ...isEmpty ? [Words.MISSING] : content);
  }

  // A policy may be a file from anywhere: its link is one only if it leads to the web.
  function buildSource (text, url) {
    return /^https?:\/\/\S+$/.test (url) ? make ("a", { href: url, rel: "noreferrer" }, text) : text;
  }

  return class Verdict {
    constructor (film, verdict) {
      Object.assign (this, { film, verdict });
    }

    // ---- places ---------------------------------------------------------------------------------------------------------

    // The start and end of a place on the horizontal axis; null: unknown.
    #locate (place) {
      const { film } = this, { axis } = film.view, { axes } = film.facts;
      const spans = {
        time: place["stream-time"] === null ? null
          : [place["stream-time"] / 1e9, (place["stream-end"] ?? place["stream-time"]) / 1e9],
        frame: place.frame === null ? null : [place.frame, place.frame + Math.max (1, place.frames)],
      };
      if (spans[axis])
        return spans[axis];
      const known = ["time", "frame"].find (name => axes.includes (name) && spans[name]);
      if (!known)
        return null;
      const [first, last] = spans[known].map (x => Math.max (0, Data.findIndex (film.xs[known], x)));
      return [film.xs[axis][first], film.xs[axis][Math.max (first, last)]];
    }

    #visit (place) {
      const span = this.#locate (place);
      if (span !== null)
        this.film.visit (...span);
    }

    // A button that shows the place in the charts.
    #buildPlace (place, text) {
      return make ("button", { type: "button", title: "Show it in the charts", onclick: () => this.#visit (place) }, text);
    }

    #buildItem (place) {
      return make ("li", {}, this.#buildPlace (place, place.text.replaceAll ("  ", " · ")));
    }

    #buildPlaces (rule) {
      const { places } = rule, count = rule["places-count"];
      const items = places.map (one => this.#buildItem (one)), folded = items.slice (MOST_PLACES);
      if (count === 0)
        return [];
      if (count > places.length)
        folded.push (make ("li", {}, `and ${Words.count (count - places.length)} more`));
      const parts = [make ("p", {}, `${Words.plural (count, "place")}, ${Words.plural (rule.frames, "frame")}`),
        make ("ul", {}, ...items.slice (0, MOST_PLACES))];
      if (folded.length > 0)
        parts.push (make ("details", {}, make ("summary", {}, `${Words.count (count - MOST_PLACES)} more`),
          make ("ul", {}, ...folded)));
      return parts;
    }

    #buildLongest ({ longest }) {
      if (longest === null)
        return "";
      const { start, end, frames } = longest, hasTimes = start !== null && end !== null;
      const length = hasTimes ? `, ${Words.time ((end - start) / 1e9)}` : "";
      return this.#buildPlace (longest, Words.plural (frames, "frame") + length);
    }

    // ---- rules ----------------------------------------------------------------------------------------------------------

    #buildRule (rule) {
      const sentence = rule.rule.endsWith (rule.about) ? "" : rule.about, reference = rule.reference && ` (${rule.reference})`;
      const about = make ("p", { class: "about" }, sentence + reference);
      const cells = rule.reason !== null ? [make ("td", { colspan: 4, class: "reason" }, rule.reason)] : [
        buildCell ("value", rule["value-text"]), buildCell ("limit", rule["limit-text"]),
        buildCell ("places", ...this.#buildPlaces (rule)), buildCell ("longest", this.#buildLongest (rule)),
      ];
      return make ("tr", { "data-rule": rule.rule },
        make ("td", {}, buildOutcome (isWarning (rule) ? "warning" : rule.outcome)),
        make ("th", { scope: "row" }, rule.rule, about), buildCell ("severity", rule.severity), ...cells);
    }

    #buildTable () {
      const heads = Object.entries (HEADS).map (([name, text]) => make ("th", { scope: "col", class: name }, text));
      return make ("div", { class: "rules" }, make ("table", {}, make ("thead", {}, make ("tr", {}, ...heads)),
        make ("tbody", {}, ...this.verdict.rules.map (rule => this.#buildRule (rule)))));
    }

    // ---- the section ----------------------------------------------------------------------------------------------------

    #buildPolicy () {
      const { title, source, url } = this.verdict;
      return make ("p", { class: "facts" }, title, ...source === "" ? [] : [" · ", buildSource (source, url)]);
    }

    #buildMissing () {
      const missing = this.verdict["not-covered"];
      return missing.length === 0 ? null : make ("details", { class: "missing" },
        make ("summary", {}, "Parts of the source that no rule checks"),
        make ("ul", {}, ...missing.map (sentence => make ("li", {}, sentence))));
    }

    build (number) {
      const { verdict } = this, id = `verdict-of-${number}`;
      return make ("section", { class: "verdict", "aria-labelledby": id },
        make ("h2", { id }, buildOutcome (verdict.outcome), " ", this.film.facts.name),
        make ("p", { class: "sentence" }, verdict.text), this.#buildPolicy (),
        ...verdict.notes.map (note => make ("p", { class: "warnings" }, note)),
        this.#buildTable (), this.#buildMissing ());
    }
  };
}) ();

// A film brings its verdict.
{
  const { build } = Film.prototype;
  Film.prototype.build = function (number) {
    const data = document.getElementById (`verdict-${number}`);
    if (data !== null)
      document.getElementById ("verdicts").append (new Verdict (this, JSON.parse (data.textContent)).build (number));
    return build.call (this, number);
  };
}
