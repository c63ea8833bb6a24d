// SPDX-FileCopyrightText: 2026 the cudahisto authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// The events of a film: their positions on the axis, the one at the pointer, and their table.

"use strict";

const Events = (() => {
  const { make } = Words;
  const ORDER = ["damaged", "black", "freeze", "scene-change", "clipped"]; // others follow
  const LIMIT = 500; // rows of the table

  const isInstant = event => event.event === "scene-change";

  return class Events {
    constructor (film) {
      Object.assign (this, { film, all: film.facts.events });
    }

    // The start and end of an event on an axis; NaN: unknown.
    place (event, axis) {
      const { film } = this;
      if (axis === "frame")
        return [event.frame, event.frame + Math.max (1, event.frames)];
      if (axis === "result")
        return [event.result, event["result-end"]];
      if (axis !== "time")
        return [NaN, NaN];
      const last = film.points > 0 && film.ends.time ? film.ends.time[film.points - 1] : NaN;
      const second = n => n === null ? NaN : n / 1e9;
      return [second (event.start), event.end === null && event["is-open"] ? last : second (event.end)];
    }

    // A map from each kind to its events, in order: { event, from, to }.
    get places () {
      const { film } = this, { axis } = film.view;
      return film.remember (`events.${axis}`, () => {
        const places = new Map ();
        for (const event of this.all) {
          const [from, to] = this.place (event, axis);
          if (Number.isNaN (from))
            continue;
          if (!places.has (event.event))
            places.set (event.event, []);
          places.get (event.event).push ({ event, from, to: Number.isNaN (to) ? from : Math.max (from, to) });
        }
        for (const list of places.values ())
          list.sort ((a, b) => a.from - b.from);
        return places;
      });
    }

    // The kinds of events, from the top row down.
    get kinds () {
      const order = kind => ORDER.includes (kind) ? ORDER.indexOf (kind) : ORDER.length;
      return [...new Set (this.all.map (event => event.event))].sort ((a, b) => order (a) - order (b));
    }

    // The start of the next event; with direction -1, of the previous one.
    findNext (x, direction) {
      const starts = [...this.places.values ()].flat ().map (place => place.from).sort ((a, b) => a - b);
      return direction > 0 ? starts.find (start => start > x) : starts.findLast (start => start < x);
    }

    // The event of a kind at x, or at most `near` away; of several, the one with the nearest start. Undefined: none.
    findAt (kind, x, near = 0) {
      const hits = (this.places.get (kind) ?? []).filter (place => place.from - near <= x && x <= place.to + near
        && (near > 0 || x < place.to || place.from === place.to));
      return hits.sort ((a, b) => Math.abs (a.from - x) - Math.abs (b.from - x))[0];
    }

    // Shows the event in all charts.
    visit (event) {
      const found = (this.places.get (event.event) ?? []).find (place => place.event === event);
      if (found)
        this.film.visit (found.from, found.to);
    }

    // ---- in words -------------------------------------------------------------------------------------------------------

    describe (event) {
      const time = n => Words.time (n / 1e9), parts = [Words.event (event.event)];
      if (event.start !== null)
        parts.push (time (event.start) + (isInstant (event) || event.end === null ? "" : ` to ${time (event.end)}`));
      else
        parts.push (Words.span ("frame", event.frame, event.frames));
      const value = Words.eventValue (event);
      return parts.join (" ") + (value === Words.MISSING ? "" : `, ${value}`);
    }

    // Describes the events at a position. They may cover only a part of its result.
    describeAt (from, to) {
      const seen = [];
      for (const kind of this.kinds)
        for (const place of this.places.get (kind) ?? [])
          if (place.from < to && (place.to > from || place.from === place.to && place.from >= from))
            seen.push (place.event);
      const shown = seen.slice (0, 3).map (event => this.describe (event));
      return shown.join ("; ") + (seen.length > shown.length ? `; ${seen.length - shown.length} more` : "");
    }

    // ---- the table ------------------------------------------------------------------------------------------------------

    build () {
      const { all } = this;
      if (all.length === 0)
        return null;
      const time = n => n === null ? Words.MISSING : Words.time (n / 1e9);
      const end = event => isInstant (event) ? "" : event["is-open"] ? "lasts" : time (event.end);
      const hasLength = event => !isInstant (event) && event.start !== null && event.end !== null;
      const length = event => hasLength (event) ? time (event.end - event.start) : "";
      const isEarly = event => event["ended-by"] && event["ended-by"] !== "complete";
      const isAnyEarly = all.some (isEarly);
      const value = event => Words.eventValue (event) + (Words.eventThreshold (event) && ` (${Words.eventThreshold (event)})`);
      const rows = all.slice (0, LIMIT).map (event => this.film.row ([
        [Words.event (event.event)], [time (event.start), "number"], [end (event), "number"],
        [length (event), "number"], [Words.index (event.frame), "number"], [value (event)],
        ...isAnyEarly ? [[isEarly (event) ? `ended early by ${Words.endedBy (event["ended-by"])}` : ""]] : [],
      ], () => this.visit (event)));
      const title = all.length > LIMIT ? `Events: the first ${LIMIT} of ${Words.count (all.length)}` : "Events";
      const numbers = ["From", "To", "Duration", "Frame"].map (name => [name, "number"]);
      const heads = [["Event"], ...numbers, ["Value (threshold)"], ...isAnyEarly ? [["End"]] : []];
      const table = this.film.table (title, heads, rows, "events");
      const known = this.kinds.filter (kind => Words.eventAbout (kind) !== null);
      if (known.length > 0)
        table.append (make ("dl", { class: "terms" }, ...known.flatMap (kind =>
          [make ("dt", {}, Words.event (kind)), make ("dd", {}, Words.eventAbout (kind))])));
      return table;
    }
  };
}) ();
