// What Bokeh does in each frame and nobody sees, left out: half of the time of a frame. A version that has other parts is only slower.

/** Elements of glyphs follow them by new style sheets, but have no content; the upper canvas is for tools that select. */
const lighten = (views) => {
  for (const {renderer_views: renderers, canvas_view: canvas} of views) {
    for (const {glyph, position} of renderers?.values() ?? []) if (position) onlyChanges(position, Boolean(glyph));
    const upper = canvas?.overlays?.el;
    if (upper) upper.style.display = "none";
  }
};

/** Every new text of a style sheet costs a look at all styles, even if it is the old one. */
const onlyChanges = (sheet, never) => {
  const {replace} = sheet;
  sheet.replace = (css, styles) => {
    if (!never && (styles || sheet.css !== css)) replace.call(sheet, css, styles);
  };
};
