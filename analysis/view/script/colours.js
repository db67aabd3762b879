// Colours by their names in the style sheet, which has those of light and dark pages; canvases are given what they are now.

/** Of users, in the order of their work; of the two policies; of waiting, running and thinking. */
const PALETTE = ["--policy-0", "--policy-1", "--policy-2", "--policy-3", "--policy-4", "--policy-5", "--ink"];
const PAIR = ["--policy-0", "--policy-1"];
const KINDS = ["--policy-4", "--policy-0", "--faint"];
/** Of all other users, when none or some are picked, and of those picked beyond the palette. */
const OTHERS = "--line", FAINT = "--grid", MORE = "--faint";
/** Of glyphs, by the ends of their names. */
const WORN = {
  a: {line_color: PAIR[0]}, b: {line_color: PAIR[1]}, "a-band": {fill_color: PAIR[0]}, "b-band": {fill_color: PAIR[1]},
  out: {hatch_color: "--faint"}, closed: {fill_color: "--faint", line_color: "--faint", hatch_color: "--faint"},
  cap: {line_color: "--ink"}, line: {line_color: "--policy-2"}, band: {fill_color: "--policy-2"},
  quads: {line_color: "--paper"}, chosen: {line_color: "--ink"}, wait: {line_color: "--ink"},
  resized: {line_color: "--ink"}, interrupted: {line_color: "--ink"},
};

/** Colours of rectangles are places in these tables. */
const NAMES = [], COLOURS = [], RGB = [], SOLID = [];
const colourPlace = (name) => {
  const known = NAMES.indexOf(name);
  if (known >= 0) return known;
  NAMES.push(name);
  return mixed(NAMES.length - 1);
};

const colourOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const mixed = (place) => {
  const hex = colourOf(NAMES[place]), [red, green, blue] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  COLOURS[place] = hex;
  RGB.splice(3 * place, 3, red, green, blue);
  SOLID[place] = ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
  return place;
};

/** Give everything that is drawn the colours of the page as it is now. */
const dress = () => {
  NAMES.forEach((_, place) => mixed(place));
  const [ink, faint, grid] = ["--ink", "--faint", "--grid"].map(colourOf);
  for (const plot of Object.values(models)) {
    plot.outline_line_color = grid;
    for (const each of plot.center) each.setv(each.type === "Grid" ? {grid_line_color: grid} : {line_color: faint});
    for (const axis of [...plot.left, ...plot.below])
      axis.setv({axis_line_color: faint, major_tick_line_color: faint, major_label_text_color: ink, axis_label_text_color: ink});
  }
  for (const [name, {glyph}] of Object.entries(state.renderers)) {
    const worn = WORN[name.replace(/^(use|queue|boxes-.|power|signal|lanes)-/, "")] ?? {};
    for (const [property, colour] of Object.entries(worn)) if (glyph[property]) glyph[property] = {value: colourOf(colour)};
  }
};

const DARK = [...document.styleSheets[0].cssRules].find((rule) => rule.conditionText?.includes("prefers-color-scheme"));
const isDark = () => matchMedia(DARK.conditionText).matches;

/** Follow the reader's choice instead of the system's; paper stays white. */
const chooseDark = (dark) => {
  DARK.media.mediaText = dark ? "screen" : "not all";
  document.documentElement.style.colorScheme = dark ? "dark" : "light";
};
