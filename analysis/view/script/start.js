// Start: Bokeh makes the panels, and everything is connected.

const read = (id) => JSON.parse(element(id).textContent);

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
    plot.y_range.change.connect(() => name !== "queue" && redraw());
  }
  time.change.connect(redraw);
  element("panels").addEventListener("pointermove", (event) => {
    // Bokeh has heard of the same movement by the next frame.
    requestAnimationFrame(() => state.pointer && tooltip(linesAt(...state.pointer), event));
  });
  element("panels").addEventListener("pointerleave", () => tooltip(null));
  element("panels").addEventListener("keydown", pressed);
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

/** The same time in all panels. */
const cursor = (x) => {
  for (const each of state.cursors) each.location = x;
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

const pressed = (event) => {
  const key = KEYS[event.key];
  if (!key || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  key();
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
};

const start = async () => {
  const roots = read("roots"), document_ = read("document"), places = {};
  for (const [name, id] of Object.entries(roots)) places[id] = name;
  const item = {docid: "view", roots: places, root_ids: Object.keys(places)};
  await Bokeh.embed.embed_items({view: document_}, [item]);
  const made = Bokeh.documents.at(-1);
  models = Object.fromEntries(Object.keys(roots).map((name) => [name, made.get_model_by_name(name)]));
  content = plain(models.use.tags[0]);
  content.policies.forEach(prepare);
  time = models.use.x_range;
  const renderers = {}, cursors = [];
  for (const [name, plot] of Object.entries(models)) {
    for (const each of plot.renderers) renderers[each.data_source.name] = each;
    cursors.push(made.get_model_by_name(`${name}-cursor`));
  }
  state = {
    first: 0, second: null, picked: [], chosen: null, pointer: null, merged: {}, drawn: {}, frames: 0, version: 0, marked: -1,
    renderers, cursors, pixelArray: renderers["lanes-image"].data_source.data.image[0].constructor,
  };
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
