// SPDX-FileCopyrightText: 2026 the cudahisto authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// The page itself: reads the data, and has the switches that concern all films.

"use strict";

(async () => {
  const started = performance.now ();
  const element = id => document.getElementById (id);
  const page = JSON.parse (element ("page").textContent);

  if (typeof DecompressionStream === "undefined" || !Array.prototype.findLast) {
    element ("status").textContent = "This browser is too old for the page: Chrome and Edge from 97 on, Firefox from 113 and "
      + "Safari from 16.4 show it.";
    return;
  }

  // ---- theme ---------------------------------------------------------------------------------------------------------------

  const prefersLight = matchMedia ("(prefers-color-scheme: light)");
  let theme = "auto", isPrinting = false;
  const films = [];

  function applyTheme () {
    const isLight = isPrinting || theme === "light" || (theme === "auto" && prefersLight.matches);
    document.documentElement.dataset.theme = isLight ? "light" : "dark";
    Colours.choose (isLight ? "light" : "dark");
    for (const film of films)
      film.restyle ();
  }

  function chooseTheme (name) {
    theme = name;
    for (const button of element ("themes").children)
      button.setAttribute ("aria-pressed", String (button.value === name));
    applyTheme ();
  }

  for (const button of element ("themes").children)
    button.addEventListener ("click", () => chooseTheme (button.value));
  prefersLight.addEventListener ("change", applyTheme);
  chooseTheme ("auto");

  // ---- data ----------------------------------------------------------------------------------------------------------------

  const view = new View (draw, read);
  try {
    for (const [number, facts] of page.films.entries ()) {
      const [curves, heat] = [element (`curves-${number}`), element (`heat-${number}`)];
      const columns = await Data.read (curves.textContent, facts.layout);
      Object.assign (columns, await Data.read (heat.textContent, facts["heat-layout"]));
      films.push (new Film (facts, columns, view));
      curves.remove (); // their memory is not needed twice
      heat.remove ();
    }
  } catch (error) {
    element ("status").textContent = `The page is damaged, its numbers cannot be read: ${error.message}`;
    throw error;
  }
  view.films = films;

  // ---- all that is drawn ---------------------------------------------------------------------------------------------------

  function describeView () {
    const { place } = Words.axes[view.axis];
    return view.isWhole ? "the whole" : `${place (Math.max (view.from, view.least))} to ${place (view.to)}`;
  }

  let seenChosen = null;

  function draw () {
    for (const film of films)
      film.draw ();
    element ("range").textContent = describeView ();
    element ("reset").disabled = view.isWhole;
    if (view.chosen !== seenChosen) {
      seenChosen = view.chosen;
      for (const film of films) {
        film.read ();
        film.showHistogram ();
        if (view.chosen !== null)
          film.placeCursor (view.chosen);
      }
      speak ();
    }
  }

  function read () {
    for (const film of films)
      film.read ();
  }

  // For those who do not see the charts.
  function speak () {
    const texts = films.map (film => film.readout.innerText.replace (/\s+/g, " "));
    element ("spoken").textContent = view.chosen === null ? "" : texts.join ("; ");
  }

  // ---- switches ------------------------------------------------------------------------------------------------------------

  const axes = ["time", "frame", "byte", "result"].filter (axis => films.every (film => film.facts.axes.includes (axis)));
  element ("axes").replaceChildren (...axes.map (axis => Words.make ("button", {
    type: "button", value: axis, "aria-pressed": "false", onclick: () => chooseAxis (axis),
  }, { time: "time", frame: "frames", byte: "bytes", result: "results" }[axis])));
  element ("axes").hidden = axes.length < 2;

  function chooseAxis (axis) {
    for (const button of element ("axes").children)
      button.setAttribute ("aria-pressed", String (button.value === axis));
    view.setAxis (axis);
  }

  function chooseLayout (name) {
    element ("films").dataset.layout = name;
    for (const button of element ("layouts").children)
      button.setAttribute ("aria-pressed", String (button.value === name));
    resize ();
  }

  function resize () {
    for (const film of films)
      film.resize ();
    view.show (view.from, view.to);
  }

  element ("layouts").hidden = films.length < 2;
  for (const button of element ("layouts").children)
    button.addEventListener ("click", () => chooseLayout (button.value));
  element ("reset").addEventListener ("click", () => view.reset ());
  element ("print").addEventListener ("click", () => print ());

  // ---- start ---------------------------------------------------------------------------------------------------------------

  const host = element ("films");
  films.forEach ((film, number) => host.append (film.build (number)));
  chooseLayout ("stacked");
  view.axis = axes[0] ?? "result";
  for (const film of films)
    film.open ();
  chooseAxis (view.axis);
  for (const film of films) {
    film.showHistogram ();
    film.read ();
  }
  element ("status").remove ();

  let resizing = 0;
  new ResizeObserver (() => {
    cancelAnimationFrame (resizing);
    resizing = requestAnimationFrame (() => !isPrinting && resize ());
  }).observe (host);

  // Paper is light, and as wide as it is: charts are drawn anew for it.
  addEventListener ("beforeprint", () => {
    isPrinting = true;
    document.documentElement.classList.add ("printing");
    applyTheme ();
    resize ();
    draw ();
  });
  addEventListener ("afterprint", () => {
    isPrinting = false;
    document.documentElement.classList.remove ("printing");
    applyTheme ();
    resize ();
  });

  draw ();
  requestAnimationFrame (() => setTimeout (() => {
    document.documentElement.dataset.openedAfter = String (Math.round (performance.now ()));
    document.documentElement.dataset.scriptTook = String (Math.round (performance.now () - started));
  }));
}) ();
