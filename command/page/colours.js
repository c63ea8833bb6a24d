// SPDX-FileCopyrightText: 2026 the cudahisto authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// Colours. Lines, bands and events use the palette of Okabe and Ito (Color Universal Design, 2008), which people with any kind
// of colour blindness can distinguish. The heat map uses viridis (S. van der Walt and N. Smith, 2015, CC0), which is
// perceptually uniform for them too, and in grey: ten of its colours, linearly interpolated.

"use strict";

const Colours = (() => {
  const VIRIDIS = ["440154", "482878", "3e4a89", "31688e", "26828e", "1f9e89", "35b779", "6ece58", "b5de2b", "fde725"];

  const OKABE_ITO = {
    orange: "#e69f00", skyBlue: "#56b4e9", green: "#009e73", yellow: "#f0e442", blue: "#0072b2", vermillion: "#d55e00",
    purple: "#cc79a7",
  };

  const themes = {
    dark: {
      text: "#c9cbce", faint: "#8b8f95", grid: "#ffffff12", tick: "#ffffff28", panel: "#17181a", limit: "#c9cbce",
      band: "#56b4e938", outer: "#56b4e918", edge: "#56b4e9a0", outerEdge: "#56b4e955",
      median: OKABE_ITO.skyBlue, mean: OKABE_ITO.orange, bars: OKABE_ITO.skyBlue, selected: "#ffffff",
      number: OKABE_ITO.green, numberArea: "#009e7322",
      events: {
        "black": "#9aa0a6", "freeze": OKABE_ITO.skyBlue, "scene-change": OKABE_ITO.yellow, "clipped": OKABE_ITO.vermillion,
        "damaged": OKABE_ITO.purple,
      },
    },
    light: {
      text: "#26282b", faint: "#63686e", grid: "#00000012", tick: "#00000030", panel: "#ffffff", limit: "#44484d",
      band: "#0072b230", outer: "#0072b214", edge: "#0072b290", outerEdge: "#0072b250",
      median: OKABE_ITO.blue, mean: "#b34f00", bars: OKABE_ITO.blue, selected: "#000000",
      number: "#00795a", numberArea: "#00795a22",
      events: {
        "black": "#26282b", "freeze": OKABE_ITO.blue, "scene-change": "#946800", "clipped": OKABE_ITO.vermillion,
        "damaged": "#a1407a",
      },
    },
  };

  function makeTable () {
    const table = new Uint32Array (256); // RGBA in memory: browsers run on little-endian machines
    for (let i = 1; i < 256; i++) {
      const place = i / 256 * (VIRIDIS.length - 1);
      const index = Math.min (Math.floor (place), VIRIDIS.length - 2);
      let colour = 0xff000000;
      for (let channel = 0; channel < 3; channel++) {
        const [a, b] = [index, index + 1].map (n => parseInt (VIRIDIS[n].slice (2 * channel, 2 * channel + 2), 16));
        colour |= Math.round (a + (b - a) * (place - index)) << (8 * channel);
      }
      table[i] = colour;
    }
    return table;
  }

  // Maps a share of the samples (0 to 1) to an index in the table. Logarithmic, so that one sample in ten thousand is visible.
  const STEEPNESS = 2000;
  function placeOf (share) {
    return share > 0 ? Math.max (1, Math.round (255 * Math.log1p (share * STEEPNESS) / Math.log1p (STEEPNESS))) : 0;
  }

  let theme = themes.dark;

  return {
    get now () { return theme; },
    dark: themes.dark, // the heat map is dark in both, as scopes are
    heat: makeTable (),
    choose (name) { theme = themes[name]; },
    placeOf,
  };
}) ();
