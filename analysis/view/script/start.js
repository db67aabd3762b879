// Start: Bokeh makes the panels, and everything is connected.

/** Panels whose heights follow what is in view. */
const SCALED = ["queue", "power", "signal"];

const connect = () => {
  for (const [name, plot] of Object.entries(models)) {
    plot.on_event("mousemove", ({x, y}) => {
      state.pointer = [name, x, y];
      cursor(x);
    });
    plot.on_event("mouseleave", () => {
      state.pointer = null;
      tooltip(null);
      cursor(null);
    });
    plot.on_event("tap", ({x, y}) => tapped(name, x, y));
    plot.y_range.change.connect(() => !SCALED.includes(name) && redraw());
  }
  time.change.connect(redraw);
  element("panels").addEventListener("pointermove", (event) => {
    // Bokeh has heard of the same movement by the next frame.
    requestAnimationFrame(() => state.pointer && tooltip(linesAt(...state.pointer), event));
  });
  element("panels").addEventListener("pointerleave", () => tooltip(null));
  document.addEventListener("keydown", pressed);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
};

/** Draw again when Bokeh has laid out the panels, of which it tells nobody; the page is ready after the first time. */
const watchSizes = (before = "") => {
  const sizes = Object.values(models).filter((plot) => plot.visible).map((plot) => pixelsOf(plot).join());
  const known = sizes.every((each) => each !== "1,1");
  if (known && sizes.join() !== before) draw();
  if (known) document.documentElement.dataset.ready ??= String(performance.now());
  setTimeout(watchSizes, known ? SOMETIMES : 0, known ? sizes.join() : before);
};
const SOMETIMES = 200;

/** A line at the same time in all panels, which the style sheet draws: to move it, no panel is drawn. */
const cursor = (x) => {
  const {style} = element("panels");
  if (x === null) style.removeProperty("--cursor");
  else style.setProperty("--cursor", `${models.use.min_border_left + ((x - time.start) / (time.end - time.start)) * models.use.inner_width}px`);
};

const tapped = (name, x, y) => {
  if (name === "lanes") {
    const [policy, user] = laneAt(y), found = user === undefined ? null : ofUser(policy, user, x - policy.shift);
    if (found) fill(element("chosen"), found.lines);
  } else if (name.startsWith("boxes")) {
    const policy = shown()[name === "boxes-a" ? 0 : 1], row = jobAt(policy, model(name), x, y);
    choose(policy, row);
  }
};

/** Keys that scroll a page, and those that press what has the focus. */
const SCROLLING = ["ArrowUp", "ArrowDown", "PageUp", "PageDown"], PRESSING = ["Enter"];

/** Keys work wherever the focus is, but for those that whatever has it needs itself. */
const pressed = (event) => {
  const key = KEYS[event.key], {target} = event, within = (what) => target instanceof Element && target.closest(what);
  if (!key || event.ctrlKey || event.metaKey || event.altKey || within("input, select, textarea")) return;
  if (PRESSING.includes(event.key) && within("button, summary, a")) return;
  if (SCROLLING.includes(event.key) && !within("#panels") && state.pointer?.[0] !== "lanes") return;
  event.preventDefault();
  key();
};

const recolour = () => {
  dress();
  element("scheme").setAttribute("aria-pressed", String(isDark()));
  renew();
};

const fillForms = () => {
  const options = content.policies.map(({name}, at) => [String(at), name]);
  const fillIn = (id, list) => element(id).replaceChildren(...list.map(([value, text]) => new Option(text, value)));
  fillIn("first", options);
  fillIn("second", [["", "nothing"], ...options]);
  const chosen = () => showPolicies(Number(element("first").value), element("second").value === "" ? null : Number(element("second").value));
  element("first").addEventListener("change", chosen);
  element("second").addEventListener("change", chosen);
  element("filter").addEventListener("input", listUsers);
  element("nobody").addEventListener("click", () => pick([]));
  element("job").addEventListener("submit", (event) => {
    event.preventDefault();
    findJob(element("number").value);
  });
  const buttons = {
    earlier: () => pan(-PAN), later: () => pan(PAN), closer: () => zoom(ZOOM), wider: () => zoom(1 / ZOOM), whole: wholeRun,
    busy: () => setTime(...content.busy), up: () => scrollLanes(-LANES / 2), down: () => scrollLanes(LANES / 2),
    fewer: () => moreLanes(1 / 1.5), more: () => moreLanes(1.5), align, before: () => nextJob(-1), after: () => nextJob(1),
    near: zoomOnChosen,
  };
  for (const [id, act] of Object.entries(buttons)) element(id).addEventListener("click", act);
  element("busy").disabled = !content.busy;
  element("scheme").setAttribute("aria-pressed", String(isDark()));
  element("scheme").addEventListener("click", () => {
    chooseDark(!isDark());
    recolour();
  });
};

/** The page is drawn when it was read, and when Bokeh, which comes last, is there. */
const start = async () => {
  const read = new Promise((done) => document.addEventListener("DOMContentLoaded", done));
  const {roots, document: panels, content: tree} = JSON.parse(element("parts").textContent);
  content = plain(tree, await unpacked(element("columns").textContent));
  await read;
  const item = {docid: "view", roots: Object.fromEntries(Object.entries(roots).map(([name, id]) => [id, name])), root_ids: Object.values(roots)};
  await Bokeh.embed.embed_items({view: panels}, [item]);
  const made = Bokeh.documents.at(-1);
  models = Object.fromEntries(Object.keys(roots).map((name) => [name, made.get_model_by_name(name)]));
  lighten(Bokeh.index);
  content.policies.forEach(prepare);
  time = models.use.x_range;
  const renderers = {};
  for (const plot of Object.values(models)) for (const each of plot.renderers) renderers[each.data_source.name] = each;
  state = {
    first: 0, second: null, picked: [], chosen: null, pointer: null, merged: {}, drawn: {}, frames: 0, version: 0, marked: -1,
    renderers, pixelArray: renderers["lanes-image"].data_source.data.image[0].constructor,
  };
  dress();
  fillForms();
  connect();
  pick([]);
  showPolicies(0, content.policies.length > 1 ? 1 : null);
  Object.assign(globalThis.thinktime, {content, models, state, time, choose, linesAt, pick, setTime, shown, showPolicies, twin});
  watchSizes();
};

start().catch((error) => {
  element("failed").hidden = false;
  element("failed").textContent = `This page could not be drawn: ${error.message}`;
  throw error;
});
