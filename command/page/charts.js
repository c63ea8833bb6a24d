// SPDX-FileCopyrightText: 2026 the cudahisto authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// The charts of a film, drawn by uPlot. All have the view's horizontal axis. The heat map and the events are drawn into uPlot's
// canvas.

"use strict";

const Charts = (() => {
  const LEFT = 86, RIGHT = 40;
  const FONT = '12px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
  let made = 0; // films whose charts share a cursor

  function xAxis (view, isShown) {
    return {
      show: isShown,
      font: FONT,
      size: 28,
      gap: 4,
      space: 84,
      stroke: () => Colours.now.faint,
      grid: { stroke: () => Colours.now.grid, width: 1 },
      ticks: { stroke: () => Colours.now.tick, width: 1, size: 5 },
      incrs: () => Words.axes[view.axis].steps ?? wholeSteps,
      values: (u, splits, axis, space, step) => splits.map (x => Words.axes[view.axis].tick (x, step)),
    };
  }

  const wholeSteps = Array.from ({ length: 16 }, (_, i) => [1, 2, 5].map (n => n * 10 ** i)).flat ();

  function yAxis (values, splits) {
    return {
      font: FONT,
      size: LEFT,
      gap: 6,
      stroke: () => Colours.now.faint,
      grid: { stroke: () => Colours.now.grid, width: 1 },
      ticks: { stroke: () => Colours.now.tick, width: 1, size: 5 },
      values,
      splits,
    };
  }

  // Draws a rectangle for each pair of points. With `width`, the rectangle extends from the minimum to the maximum of `to`, is
  // at least `width` pixels high, and joins the previous one. Without it, the rectangle extends from `from` (null: the axis) to
  // `to`.
  function drawColumns (ctx, colour, edges, from, to, width, toY) {
    let last = null;
    ctx.fillStyle = colour;
    for (let i = 0; i + 1 < edges.length; i++) {
      if (to[2 * i] === null || edges[i + 1] <= edges[i]) {
        last = null;
        continue;
      }
      let top = toY (Math.max (to[2 * i], to[2 * i + 1] ?? to[2 * i])), bottom;
      if (width) {
        bottom = toY (Math.min (to[2 * i], to[2 * i + 1] ?? to[2 * i]));
        const own = { top, bottom };
        if (last !== null && last.bottom < top)
          top = last.bottom;
        else if (last !== null && last.top > bottom)
          bottom = last.top;
        last = own;
        const lacking = Math.max (0, width * devicePixelRatio - (bottom - top)) / 2;
        top -= lacking;
        bottom += lacking;
      } else {
        bottom = toY (from === null ? 0 : from[2 * i]);
      }
      ctx.fillRect (edges[i], top, edges[i + 1] - edges[i], bottom - top);
    }
  }

  // One uPlot with the view's horizontal axis. `options`: height, hasAxis, y, yAxis, series, bands, draw (u), under (u), label.
  class Chart {
    constructor (host, view, options) {
      this.view = view;
      this.options = options;
      this.host = host;
      host.tabIndex = 0;
      host.setAttribute ("role", "application"); // screen readers pass on its keys
      host.setAttribute ("aria-roledescription", "chart");
      host.setAttribute ("aria-label", options.label);
      host.setAttribute ("aria-describedby", "keys");
      const series = [{}, ...(options.series ?? [{ show: false }])];
      this.plot = new uPlot ({
        width: Math.max (200, host.clientWidth),
        height: options.height,
        padding: options.padding ?? [options.hasAxis ? 8 : 2, RIGHT, 2, 0],
        legend: { show: false },
        focus: { alpha: 1 },
        scales: { x: { time: false, range: (u, from, to) => [from, to] }, y: options.y },
        axes: [xAxis (view, options.hasAxis), options.yAxis],
        series: series.map (one => ({ points: { show: this.#showsPoints }, ...one })),
        bands: options.bands,
        cursor: {
          y: false,
          points: { show: false },
          drag: { x: true, y: false, setScale: false, dist: 4 },
          sync: { key: view.syncKey ??= `film-${made++}`, scales: ["x", null] },
          bind: { dblclick: () => () => { view.reset (); return null; } },
        },
        hooks: {
          drawAxes: options.under ? [options.under] : [],
          draw: [u => this.#drawDense (u), u => options.draw?.(u), u => this.#drawSelected (u)],
          setSelect: [u => this.#zoomToSelected (u)],
        },
      }, [[view.from, view.to], ...series.slice (1).map (() => [null, null])], host);
      this.#listen ();
    }

    // Marks each number by a point if they are far apart, or if there is only one.
    #showsPoints = (u, index, first, last) => last - first < u.bbox.width / devicePixelRatio / 24;

    #listen () {
      const over = this.plot.over;
      let downAt = null;
      const shareAt = event => {
        const box = over.getBoundingClientRect ();
        return Math.min (Math.max ((event.clientX - box.left) / box.width, 0), 1);
      };
      const valueAt = event => this.plot.posToVal (event.clientY - over.getBoundingClientRect ().top, "y");
      const placeAt = event => this.view.from + (this.view.to - this.view.from) * shareAt (event);
      over.addEventListener ("mousemove", event => {
        const { readsValue, find } = this.options;
        this.view.point (shareAt (event), readsValue ? valueAt (event) : null);
        if (find)
          over.style.cursor = find (placeAt (event), valueAt (event)) ? "pointer" : "";
      });
      over.addEventListener ("mouseleave", () => this.view.point (null));
      over.addEventListener ("mousedown", event => { downAt = event.clientX; });
      over.addEventListener ("click", event => {
        if (downAt === null || Math.abs (event.clientX - downAt) >= 4)
          return;
        const found = this.options.find?.(placeAt (event), valueAt (event));
        if (found)
          this.view.visit (found.from, found.to);
        else
          this.view.choose (placeAt (event));
      });
      this.host.addEventListener ("wheel", event => {
        const box = over.getBoundingClientRect ();
        const place = shareAt (event);
        const amount = event.deltaY * (event.deltaMode === 1 ? 30 : event.deltaMode === 2 ? 400 : 1);
        const sideways = event.shiftKey && event.deltaX === 0 ? amount : event.deltaX;
        const isZoom = !event.shiftKey && Math.abs (event.deltaY) >= Math.abs (event.deltaX);
        const hasMoved = isZoom ? this.view.zoom (Math.exp (amount * 0.002), place) : this.view.pan (sideways / box.width);
        if (hasMoved)
          event.preventDefault (); // otherwise the page scrolls
      }, { passive: false });
      this.host.addEventListener ("keydown", event => {
        const isOfBrowser = event.ctrlKey || event.metaKey || event.altKey;
        if (!isOfBrowser && this.view.pressKey (event.key, event.shiftKey))
          event.preventDefault ();
      });
    }

    #zoomToSelected (u) {
      const { left, width } = u.select;
      if (width < 1)
        return;
      u.setSelect ({ left: 0, top: 0, width: 0, height: 0 }, false);
      this.view.show (u.posToVal (left, "x"), u.posToVal (left + width, "x"));
    }

    #drawDense (u) {
      if (!this.dense)
        return;
      const { ctx, bbox } = u, [xs, ...columns] = this.dense;
      ctx.save ();
      ctx.beginPath ();
      ctx.rect (bbox.left, bbox.top, bbox.width, bbox.height);
      ctx.clip ();
      const toX = x => Math.round (u.valToPos (x, "x", true)), toY = y => u.valToPos (y, "y", true);
      const edges = [];
      for (let i = 0; i < xs.length; i += 2)
        edges.push (toX (xs[i]));
      edges.push (xs.length % 2 === 0 ? toX (2 * xs.at (-1) - xs.at (-2)) : edges.at (-1));
      for (const { colour, from, to, width } of this.options.dense)
        drawColumns (ctx, Colours.now[colour], edges, from === null ? null : columns[from], columns[to], width, toY);
      ctx.restore ();
    }

    #drawSelected (u) {
      const x = this.view.chosen;
      if (x === null || x < this.view.from || x > this.view.to)
        return;
      const { ctx, bbox } = u, at = Math.round (u.valToPos (x, "x", true)) + 0.5;
      ctx.save ();
      ctx.strokeStyle = (this.options.isDark ? Colours.dark : Colours.now).selected;
      ctx.globalAlpha = 0.75;
      ctx.lineWidth = devicePixelRatio;
      ctx.beginPath ();
      ctx.moveTo (at, bbox.top);
      ctx.lineTo (at, bbox.top + bbox.height);
      ctx.stroke ();
      ctx.restore ();
    }

    // `data`: columns, x first; if empty, only `draw` draws. `isDense`: each pixel has two points, the minimum and maximum of
    // many. They are drawn as rectangles, because lines that go up and down within each pixel take a browser half a second.
    update (data = null, isDense = false) {
      const { plot, view } = this;
      this.dense = isDense ? data : null;
      if (isDense)
        data = null;
      plot.batch (() => {
        plot.setData (data ?? [[view.from, view.to], ...plot.series.slice (1).map (() => [null, null])], false);
        plot.setScale ("x", { min: view.from, max: view.to });
      });
    }

    setY (y) {
      this.plot.scales.y.range = () => y;
      this.plot.setScale ("y", { min: y[0], max: y[1] });
    }

    resize (width = this.host.clientWidth) {
      if (width > 0 && width !== this.plot.width)
        this.plot.setSize ({ width, height: this.options.height });
    }

    // Takes the position from the view, since uPlot only knows the part that it drew last. null: none.
    placeCursor (x) {
      const share = x === null ? -1 : this.view.shareOf (x), isSeen = share >= 0 && share <= 1;
      this.plot.setCursor (isSeen ? { left: share * this.plot.over.clientWidth, top: 10 } : { left: -10, top: -10 }, false);
    }

    destroy () {
      this.plot.destroy ();
    }
  }

  // ---- levels --------------------------------------------------------------------------------------------------------------

  const LEVELS = [
    ["max", "greatest"], ["high", "greatest"], ["median", "both"], ["mean", "both"], ["low", "least"], ["min", "least"],
  ];

  function dash (pattern) {
    return pattern.map (n => n * devicePixelRatio);
  }

  // Moves ascending places apart, to at least `distance`, as little as the places before them allow.
  function spread (places, distance) {
    let last = -Infinity;
    return places.map (place => last = Math.max (place, last + distance));
  }

  // Labels of limits that are near to each other are moved apart.
  function drawLimits (u, limits, colours, describe = String) {
    const { ctx, bbox } = u;
    const rows = [...limits].map (limit => ({ limit, at: Math.round (u.valToPos (limit, "y", true)) + 0.5 }))
      .sort ((one, other) => one.at - other.at);
    const labels = spread (rows.map (row => row.at), 13 * devicePixelRatio);
    ctx.save ();
    ctx.strokeStyle = colours.limit;
    ctx.fillStyle = Colours.now.faint;
    ctx.lineWidth = devicePixelRatio;
    ctx.font = FONT.replace ("12px", `${11 * devicePixelRatio}px`);
    ctx.textBaseline = "middle";
    ctx.textAlign = "left";
    for (const [i, { limit, at }] of rows.entries ()) {
      ctx.globalAlpha = 0.55;
      ctx.setLineDash (dash ([2, 4]));
      ctx.beginPath ();
      ctx.moveTo (bbox.left, at);
      ctx.lineTo (bbox.left + bbox.width, at);
      ctx.stroke ();
      ctx.globalAlpha = 1;
      ctx.fillText (describe (limit), bbox.left + bbox.width + 6 * devicePixelRatio, labels[i]);
    }
    ctx.restore ();
  }

  // Ticks of the vertical axis: quarters of the range, as on scopes.
  function quarters (top) {
    return [0, 1, 2, 3].map (n => Math.round (n * (top + 1) / 4)).concat ([top]);
  }

  function makeLevels (host, view, label, getLimits) {
    const line = (colour, width, pattern) => ({
      stroke: () => Colours.now[colour], width, dash: pattern, spanGaps: false,
    });
    return new Chart (host, view, {
      label,
      height: 270,
      hasAxis: true,
      y: { range: () => [0, 255] },
      yAxis: yAxis ((u, splits) => splits.map (y => Words.count (y)), u => quarters (u.scales.y.max)),
      series: [line ("outerEdge", 1), line ("edge", 1), line ("median", 2), line ("mean", 1.5, [6, 3]), line ("edge", 1),
        line ("outerEdge", 1)],
      bands: [
        { series: [1, 6], fill: () => Colours.now.outer },
        { series: [2, 5], fill: () => Colours.now.band },
      ],
      dense: [
        { colour: "outer", from: 5, to: 0 }, { colour: "band", from: 4, to: 1 },
        ...[0, 5].map (to => ({ colour: "outerEdge", to, width: 1 })), ...[1, 4].map (to => ({ colour: "edge", to, width: 1 })),
        { colour: "median", to: 2, width: 2 }, { colour: "mean", to: 3, width: 1.5 },
      ],
      draw: u => drawLimits (u, getLimits (), Colours.now),
    });
  }

  // ---- heat map ------------------------------------------------------------------------------------------------------------

  const ROWS = 256;

  // A canvas for the heat map, kept for the next drawing.
  const scratch = { canvas: null, pen: null, image: null };

  function prepareScratch (width) {
    if (scratch.canvas?.width !== width) {
      scratch.canvas = new OffscreenCanvas (width, ROWS);
      scratch.pen = scratch.canvas.getContext ("2d", { willReadFrequently: true }); // the heat map is painted in memory
      scratch.image = new ImageData (width, ROWS);
    }
    return new Uint32Array (scratch.image.data.buffer).fill (0);
  }

  // The picture of the visible columns: a pixel for each column of the screen, a row for each bin.
  function paintHeat (heat, view, width) {
    const pixels = prepareScratch (width);
    const { starts, ends, shades } = heat, table = Colours.heat;
    const sums = new Uint32Array (ROWS);
    const scale = (view.to - view.from) / width;
    let column = Math.max (0, Data.findIndex (starts, view.from));
    for (let x = 0; x < width; x++) {
      const from = view.from + x * scale, to = from + scale;
      while (column + 1 < starts.length && starts[column + 1] <= from)
        column++;
      if (ends[column] <= from)
        column++; // a gap
      let last = column;
      while (last + 1 < starts.length && starts[last + 1] < to)
        last++;
      if (column >= starts.length || starts[column] >= to)
        continue;
      sums.fill (0);
      for (let c = column; c <= last; c++)
        for (let row = 0, at = c * ROWS; row < ROWS; row++)
          sums[row] += shades[at + row];
      const count = last - column + 1;
      for (let row = 0; row < ROWS; row++)
        if (sums[row] > 0)
          pixels[(ROWS - 1 - row) * width + x] = table[Math.max (1, Math.round (sums[row] / count))];
      column = last;
    }
    scratch.pen.putImageData (scratch.image, 0, 0);
  }

  function drawHeat (u, heat, view) {
    const { ctx, bbox } = u;
    if (heat === null)
      return;
    const width = Math.max (1, Math.round (bbox.width));
    paintHeat (heat, view, width);
    ctx.save ();
    ctx.fillStyle = Colours.dark.panel;
    ctx.fillRect (bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.imageSmoothingEnabled = false;
    ctx.drawImage (scratch.canvas, 0, 0, width, ROWS, bbox.left, bbox.top, width, bbox.height);
    ctx.restore ();
  }

  function makeHeat (host, view, label, getHeat, getLimits) {
    return new Chart (host, view, {
      label,
      height: 256 + 38,
      hasAxis: true,
      readsValue: true,
      y: { range: () => [0, 256] },
      yAxis: yAxis ((u, splits) => splits.map (y => Words.count (y)), u => quarters (u.scales.y.max - 1)),
      under: u => drawHeat (u, getHeat (), view),
      draw: u => drawLimits (u, getLimits (), Colours.dark),
      isDark: true,
    });
  }

  // ---- events --------------------------------------------------------------------------------------------------------------

  const ROW = 26;

  // Kinds differ in their row, their name and their pattern, not in colour alone.
  function makePattern (ctx, kind, colour) {
    const size = 8 * devicePixelRatio;
    const tile = new OffscreenCanvas (size, size), pen = tile.getContext ("2d");
    pen.fillStyle = colour;
    pen.strokeStyle = colour;
    pen.lineWidth = 1.6 * devicePixelRatio;
    pen.globalAlpha = kind === "black" ? 0.85 : 0.3;
    pen.fillRect (0, 0, size, size);
    pen.globalAlpha = 1;
    pen.beginPath ();
    if (kind === "freeze" || kind === "clipped")
      for (const n of [-1, 0, 1]) {
        pen.moveTo (n * size, size);
        pen.lineTo ((n + 1) * size, 0);
        if (kind === "clipped") {
          pen.moveTo (n * size, 0);
          pen.lineTo ((n + 1) * size, size);
        }
      }
    if (kind === "damaged") {
      pen.moveTo (0, size / 2);
      pen.lineTo (size, size / 2);
    }
    pen.stroke ();
    return ctx.createPattern (tile, "repeat");
  }

  function drawMark (ctx, x, top, height) {
    const half = 5 * devicePixelRatio;
    ctx.fillRect (Math.round (x) - devicePixelRatio / 2, top, devicePixelRatio, height);
    ctx.beginPath ();
    ctx.moveTo (x - half, top);
    ctx.lineTo (x + half, top);
    ctx.lineTo (x, top + 1.6 * half);
    ctx.fill ();
  }

  function drawEvents (u, rows, places, view) {
    const { ctx, bbox } = u;
    ctx.save ();
    ctx.beginPath ();
    ctx.rect (bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip ();
    ctx.font = FONT.replace ("12px", `${11 * devicePixelRatio}px`);
    ctx.textBaseline = "middle";
    ctx.textAlign = "left";
    rows.forEach ((kind, index) => {
      const colour = Words.find (Colours.now.events, kind, Colours.now.faint);
      const height = bbox.height / rows.length;
      const top = bbox.top + index * height + 4 * devicePixelRatio, inner = height - 8 * devicePixelRatio;
      const pattern = makePattern (ctx, kind, colour);
      let last = -Infinity;
      for (const { event, from, to } of places.get (kind) ?? []) {
        if (to < view.from || from > view.to)
          continue;
        const left = u.valToPos (from, "x", true), right = u.valToPos (to, "x", true);
        if (kind === "scene-change" || right - left < 3 * devicePixelRatio) {
          if (left - last < devicePixelRatio)
            continue; // at the same place as the previous event
          ctx.fillStyle = colour;
          drawMark (ctx, left, top, inner);
          last = left;
          continue;
        }
        ctx.fillStyle = pattern;
        ctx.fillRect (left, top, right - left, inner);
        ctx.strokeStyle = colour;
        ctx.lineWidth = devicePixelRatio;
        ctx.strokeRect (left + 0.5, top + 0.5, right - left - 1, inner - 1);
        const text = view.axis === "time" ? Words.time (to - from, 2) : Words.plural (event.frames, "frame");
        const wide = ctx.measureText (text).width + 10 * devicePixelRatio;
        const start = Math.max (left, bbox.left);
        if (Math.min (right, bbox.left + bbox.width) - start > wide) {
          ctx.fillStyle = Colours.now.panel;
          ctx.fillRect (start + 4 * devicePixelRatio, top + 2 * devicePixelRatio, wide - 4 * devicePixelRatio,
                        inner - 4 * devicePixelRatio);
          ctx.fillStyle = Colours.now.text;
          ctx.fillText (text, start + 7 * devicePixelRatio, top + inner / 2 + devicePixelRatio / 2);
        }
      }
    });
    ctx.restore ();
  }

  // Shortens a name to fit beside a row.
  function shortName (kind) {
    const name = Words.event (kind);
    return name.length > 12 ? `${name.slice (0, 11)}…` : name;
  }

  function makeEvents (host, view, label, rows, events) {
    const names = rows.map (shortName).reverse ();
    return new Chart (host, view, {
      label,
      height: rows.length * ROW + 6,
      hasAxis: false,
      y: { range: () => [0, rows.length] },
      yAxis: {
        ...yAxis ((u, splits) => splits.map ((y, i) => names[i]), () => rows.map ((_, i) => i + 0.5)),
        font: FONT.replace ("12px", "11px"), grid: { show: false }, ticks: { show: false }, stroke: () => Colours.now.text,
      },
      draw: u => drawEvents (u, rows, events.places, view),
      find: (x, y) => {
        const kind = rows[rows.length - 1 - Math.floor (y)];
        return kind === undefined ? undefined : events.findAt (kind, x, 6 * (view.to - view.from) / host.clientWidth);
      },
    });
  }

  // ---- further numbers -----------------------------------------------------------------------------------------------------

  // `getLimit`: a value that is drawn as a limit, and its text; null: none.
  function makeNumbers (host, view, label, getName, getLimit) {
    const percent = y => `${Number ((y * 100).toPrecision (3))} %`;
    return new Chart (host, view, {
      label,
      height: 150,
      hasAxis: true,
      y: { range: () => [0, 1] },
      yAxis: yAxis ((u, splits) => splits.map (Words.scalar (getName ()).unit === "%" ? percent : Words.number), null),
      series: [{ stroke: () => Colours.now.number, width: 1.5, fill: () => Colours.now.numberArea }],
      dense: [{ colour: "numberArea", from: null, to: 0 }, { colour: "number", to: 0, width: 1.5 }],
      draw: u => drawLimits (u, getLimit () === null ? [] : [getLimit ()], Colours.now, percent),
    });
  }

  // ---- light ---------------------------------------------------------------------------------------------------------------

  const NITS = [0, 1, 10, 100, 1000, 4000, 10000];

  // `toSignal`: the place of a luminance on the vertical axis, from 0 to 1. The columns are such places.
  function makeLight (host, view, label, toSignal, getLimits) {
    const line = (colour, width, pattern) => ({ stroke: () => Colours.now[colour], width, dash: pattern, spanGaps: false });
    return new Chart (host, view, {
      label,
      height: 200,
      hasAxis: true,
      y: { range: () => [0, 1] },
      yAxis: yAxis (() => NITS.map (Words.count), () => NITS.map (toSignal)),
      series: [line ("median", 2), line ("mean", 1.5, [6, 3])],
      dense: [{ colour: "median", to: 0, width: 2 }, { colour: "mean", to: 1, width: 1.5 }],
      draw: u => {
        const limits = new Map (getLimits ().map (nits => [toSignal (nits), Words.count (nits)]));
        drawLimits (u, limits.keys (), Colours.now, place => limits.get (place));
      },
    });
  }

  // ---- active picture ------------------------------------------------------------------------------------------------------

  // One direction of the active picture, in pixels; `isFlipped`: 0 is at the top.
  function makeActive (host, view, label, top, isFlipped, hasAxis) {
    const edge = { stroke: () => Colours.now.edge, width: 1, spanGaps: false };
    return new Chart (host, view, {
      label,
      height: hasAxis ? 122 : 100,
      hasAxis,
      padding: [9, RIGHT, hasAxis ? 2 : 9, 0],
      y: { range: () => [0, top] },
      yAxis: yAxis ((u, splits) => splits.map (y => Words.count (isFlipped ? top - y : y)), () => [0, top / 2, top]),
      series: [edge, edge],
      bands: [{ series: [1, 2], fill: () => Colours.now.band }],
      dense: [{ colour: "band", from: 1, to: 0 }, ...[0, 1].map (to => ({ colour: "edge", to, width: 1 }))],
    });
  }

  // ---- a histogram ---------------------------------------------------------------------------------------------------------

  // Bars over values. Independent of the view and of the other charts' cursor.
  class Histogram {
    constructor (host, onPoint) {
      this.host = host;
      this.isLogarithmic = false;
      this.onPoint = onPoint;
    }

    #scale = count => this.isLogarithmic ? Math.log10 (1 + count) : count;

    // `counts` of `step` values each; `marks`: [name, value] ...
    show (counts, step, marks, limits) {
      Object.assign (this, { counts, step, marks, limits });
      this.#redraw ();
    }

    setLogarithmic (isLogarithmic) {
      this.isLogarithmic = isLogarithmic;
      this.#redraw ();
    }

    #redraw () {
      const { host, counts, step } = this;
      this.plot?.destroy ();
      this.plot = null;
      if (!counts)
        return;
      const top = counts.length * step;
      const highest = Math.max (1, ...counts);
      const ticks = this.isLogarithmic
        ? [0, ...Array.from ({ length: 16 }, (_, i) => 10 ** i).filter (n => n <= highest * 2)]
        : null;
      const short = new Intl.NumberFormat ("en-US", { notation: "compact", maximumSignificantDigits: 3 });
      this.plot = new uPlot ({
        width: Math.max (160, host.clientWidth),
        height: 220,
        padding: [20, 20, 0, 0],
        legend: { show: false },
        scales: { x: { time: false, range: () => [0, top] }, y: { range: () => [0, this.#scale (highest) * 1.05] } },
        axes: [
          { ...yAxis ((u, splits) => splits.map (x => Words.count (x)), () => quarters (top - 1)), size: 26 },
          {
            ...yAxis ((u, splits) => splits.map (y => short.format (this.isLogarithmic ? Math.round (10 ** y - 1) : y)),
                      ticks && (() => ticks.map (this.#scale))),
            size: 46,
          },
        ],
        series: [{}, {
          stroke: () => Colours.now.bars, fill: () => Colours.now.bars, width: 0, points: { show: false },
          paths: uPlot.paths.bars ({ size: [1, Infinity], align: 1, gap: 0 }),
        }],
        cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
        hooks: {
          draw: [u => this.#drawMarks (u)],
        },
      }, [Array.from (counts, (_, i) => i * step), Array.from (counts, this.#scale)], host);
      this.#listen (this.plot.over);
    }

    #listen (over) {
      over.addEventListener ("mousemove", event => {
        const box = over.getBoundingClientRect ();
        const index = Math.floor ((event.clientX - box.left) / box.width * this.counts.length);
        this.onPoint (index >= 0 && index < this.counts.length ? index : null);
      });
      over.addEventListener ("mouseleave", () => this.onPoint (null));
    }

    #drawMarks (u) {
      const { ctx, bbox } = u, pixel = devicePixelRatio;
      ctx.save ();
      ctx.font = FONT.replace ("12px", `${11 * pixel}px`);
      ctx.textAlign = "center";
      ctx.textBaseline = "bottom";
      ctx.lineWidth = pixel;
      for (const limit of this.limits) {
        const at = Math.round (u.valToPos (limit, "x", true)) + 0.5;
        ctx.strokeStyle = Colours.now.limit;
        ctx.globalAlpha = 0.55;
        ctx.setLineDash (dash ([2, 4]));
        ctx.beginPath ();
        ctx.moveTo (at, bbox.top);
        ctx.lineTo (at, bbox.top + bbox.height);
        ctx.stroke ();
      }
      ctx.setLineDash ([]);
      let right = -Infinity;
      for (const [name, value] of this.marks) {
        const at = Math.round (u.valToPos (value + 0.5, "x", true)) + 0.5;
        ctx.globalAlpha = 0.9;
        ctx.strokeStyle = name === "median" ? Colours.now.mean : Colours.now.text;
        ctx.fillStyle = Colours.now.text;
        ctx.beginPath ();
        ctx.moveTo (at, bbox.top - 3 * pixel);
        ctx.lineTo (at, bbox.top + bbox.height);
        ctx.stroke ();
        const half = ctx.measureText (name).width / 2 + 2 * pixel;
        const center = Math.min (Math.max (at, bbox.left + half), bbox.left + bbox.width - half);
        if (center - half >= right) {
          ctx.globalAlpha = 1;
          ctx.fillText (name, center, bbox.top - 4 * pixel);
          right = center + half;
        }
      }
      ctx.restore ();
    }

    resize () {
      if (this.plot && this.host.clientWidth > 0)
        this.plot.setSize ({ width: this.host.clientWidth, height: 220 });
    }

    redraw () {
      this.plot?.redraw ();
    }
  }

  return { LEVELS, makeLevels, makeHeat, makeEvents, makeNumbers, makeLight, makeActive, Histogram };
}) ();
