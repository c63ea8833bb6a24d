// SPDX-FileCopyrightText: 2026 the cudahisto authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// The page: reads the data, and has the switches for all films.

"use strict";

(async () => {
  const started = performance.now ();
  const element = id => document.getElementById (id);
  const page = JSON.parse (element ("page").textContent);

  if (typeof DecompressionStream === "undefined" || !Array.prototype.findLast) {
    element ("status").textContent = "This browser is too old for the page. Use Chrome or Edge 97, Firefox 113, Safari 16.4, or "
      + "later.";
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
    press ("themes", name);
    applyTheme ();
  }

  for (const button of element ("themes").children)
    button.addEventListener ("click", () => chooseTheme (button.value));
  prefersLight.addEventListener ("change", applyTheme);
  chooseTheme ("auto");

  // ---- data ----------------------------------------------------------------------------------------------------------------

  Words.describeScalars (page.fields);
  try {
    for (const [number, facts] of page.films.entries ()) {
      const [curves, heat] = [element (`curves-${number}`), element (`heat-${number}`)];
      const columns = await Data.read (curves.textContent, facts.layout);
      Object.assign (columns, await Data.read (heat.textContent, facts["heat-layout"]));
      const film = new Film (facts, columns);
      film.view = new View (film, () => draw (film), () => film.read ());
      films.push (film);
      curves.remove (); // frees the text, which is not needed any more
      heat.remove ();
    }
  } catch (error) {
    element ("status").textContent = `The page is damaged: its numbers cannot be read (${error.message})`;
    throw error;
  }

  // ---- drawing ---------------------------------------------------------------------------------------------------

  function draw (film) {
    film.draw ();
    if (film.view.chosen === film.seenChosen)
      return;
    film.seenChosen = film.view.chosen;
    film.read ();
    film.showHistogram ();
    speak ();
  }

  // For screen readers.
  function speak () {
    const chosen = films.filter (film => film.view.chosen !== null);
    element ("spoken").textContent = chosen.map (film => film.speak ()).join ("; ");
  }

  // ---- switches ------------------------------------------------------------------------------------------------------------

  const axes = ["time", "frame", "byte", "result"].filter (axis => films.every (film => film.facts.axes.includes (axis)));
  element ("axes").replaceChildren (...axes.map (axis => Words.make ("button", {
    type: "button", value: axis, "aria-pressed": "false", onclick: () => chooseAxis (axis),
  }, { time: "time", frame: "frames", byte: "bytes", result: "results" }[axis])));
  element ("axes").hidden = axes.length < 2;

  let axis = axes[0] ?? "result", isCommon = false;

  function press (group, value) {
    for (const button of element (group).children)
      button.setAttribute ("aria-pressed", String (button.value === value));
  }

  function join () {
    const views = films.map (film => film.view);
    for (const group of isCommon ? [views] : views.map (view => [view]))
      View.join (group, axis);
  }

  function chooseAxis (name) {
    axis = name;
    press ("axes", axis);
    join ();
  }

  // Films of different lengths have their own axes. Versions of the same film are compared on a common axis.
  function chooseCommon (value) {
    isCommon = value === "common";
    press ("joins", value);
    join ();
  }

  function chooseLayout (name) {
    element ("films").dataset.layout = name;
    press ("layouts", name);
    resize ();
  }

  function resize () {
    for (const film of films) {
      film.resize ();
      film.view.show (film.view.from, film.view.to);
    }
  }

  element ("layouts").hidden = films.length < 2;
  for (const button of element ("layouts").children)
    button.addEventListener ("click", () => chooseLayout (button.value));
  element ("joins").hidden = films.length < 2;
  for (const button of element ("joins").children)
    button.addEventListener ("click", () => chooseCommon (button.value));
  element ("print").addEventListener ("click", () => print ());

  for (const [name, about] of Words.terms (films.flatMap (film => film.facts.scalars.map (one => one.name))))
    element ("terms").append (Words.make ("dt", {}, name), Words.make ("dd", {}, about));

  // ---- start ---------------------------------------------------------------------------------------------------------------

  const host = element ("films");
  films.forEach ((film, number) => host.append (film.build (number)));
  chooseLayout ("stacked");
  for (const film of films) {
    film.view.axis = axis;
    film.open ();
  }
  press ("joins", "own");
  chooseAxis (axis);
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

  // Paper is light and has another width: the charts are redrawn for it.
  addEventListener ("beforeprint", () => {
    isPrinting = true;
    document.documentElement.classList.add ("printing");
    applyTheme ();
    resize ();
    films.forEach (draw);
  });
  addEventListener ("afterprint", () => {
    isPrinting = false;
    document.documentElement.classList.remove ("printing");
    applyTheme ();
    resize ();
  });

  films.forEach (draw);
  requestAnimationFrame (() => setTimeout (() => {
    document.documentElement.dataset.openedAfter = String (Math.round (performance.now ()));
    document.documentElement.dataset.scriptTook = String (Math.round (performance.now () - started));
  }));
}) ();
