// The panels: what is in view is drawn anew after each movement, once per frame of the screen.

let models, time, state, waiting = false;

const model = (name) => models[name];

/** Give a glyph what it draws; one without anything is not looked at while the panels move. */
const give = (name, data) => {
  state.renderers[name].data_source.data = data;
  state.renderers[name].visible = Object.values(data)[0].length > 0;
};

const shown = () => [content.policies[state.first], ...(state.second === null ? [] : [content.policies[state.second]])];
/** The most letters of a name beside a lane. */
const WIDEST = 18;
const laneUsers = () => (state.picked.length ? state.picked : content.users.map((_, user) => user));
const laneLabel = (tick) => {
  const user = laneUsers()[Math.round(-tick - 0.5)], name = user === undefined ? "" : userName(user);
  return name.length > WIDEST ? `${name.slice(0, WIDEST - 1)}…` : name;
};

const pixelsOf = (plot) => [Math.max(1, Math.round(plot.inner_width)), Math.max(1, Math.round(plot.inner_height))];

/** How much more than the view is drawn at each side of it while it moves, in views. */
const BESIDE = 0.5;
/** The pixels of a step function that merges many steps: lines with more points take long to draw. */
const GRAIN = 2;

/** What a panel has to draw anew: the part in view, or more while the view moves; null if what it has will do. */
const missing = (name, ...more) => {
  const plot = model(name), {start, end} = time, length = end - start, [width, height] = pixelsOf(plot);
  const {start: bottom, end: top} = plot.y_range, known = state.drawn[name];
  const key = [state.version, width, height, ...more].join();
  const moved = known && known.key === key && Math.abs(known.length / length - 1) < 1e-9;
  if (moved && known.left <= start && end <= known.right) return null;
  const beside = moved ? BESIDE : 0, left = start - beside * length, right = end + beside * length;
  state.drawn[name] = {key, length, left, right};
  return {left, right, bottom, top, width: Math.round(width * (1 + 2 * beside)), height};
};

const NOTHING = {x: [], y: [], low: [], high: []};

const drawSteps = (name) => {
  const frame = missing(name);
  if (!frame) return;
  let most = 0;
  ["a", "b"].forEach((slot, at) => {
    const policy = shown()[at], shift = policy?.shift ?? 0;
    const found = policy?.[name] ? drawn(policy[name], frame.left - shift, frame.right - shift, Math.ceil(frame.width / GRAIN)) : {...NOTHING, most: 0};
    const x = found.x.map((each) => each + shift);
    most = Math.max(most, found.most);
    give(`${name}-${slot}`, {x, y: found.y});
    if (at) dash(`${name}-${slot}`, found.exact);
    // One area below the first line; the range of pixels that merge many steps for both.
    give(`${name}-${slot}-band`, at && found.exact ? {x: [], low: [], high: []} : {x, low: found.low, high: found.high});
  });
  if (name === "queue") model(name).y_range.end = roundUp(most);
  else if (name === "power") model(name).y_range.end = roundUp(1.05 * Math.max(most, drawCap(frame)));
  else drawOut(frame);
};

/** The cap of the first policy, with gaps where there is none; the highest one in view. */
const drawCap = (frame) => {
  const [{cap, shift}] = shown(), points = cap ? drawnPoints(cap, frame, shift) : {x: [], y: []};
  give("power-cap", {x: points.x, y: points.y.map((each) => (each < 0 ? NaN : each))});
  return Math.max(0, ...points.y);
};

const drawnPoints = (steps, {left, right}, shift) => {
  const first = left - shift, last = right - shift;
  const {x, y} = exactly(steps, first, last, above(steps.time, first) - 1, above(steps.time, last));
  return {x: x.map((each) => each + shift), y};
};

/** The signal of the first policy, while it has a value. */
const drawSignal = () => {
  const frame = missing("signal"), [{signal, shift}] = shown();
  if (!frame) return;
  const left = Math.max(frame.left - shift, signal?.begin ?? 0), right = Math.min(frame.right - shift, signal?.end ?? -1);
  const found = left < right ? drawn(signal, left, right, Math.ceil(frame.width / GRAIN)) : NOTHING;
  const x = found.x.map((each) => each + shift);
  const highest = found.x.length ? Math.max(...(found.exact ? found.y : found.high)) : 1;
  const lowest = found.x.length ? Math.min(...(found.exact ? found.y : found.low)) : 0;
  const end = highest > 0 ? roundUp(highest, 1e-9) : 0, start = lowest < 0 ? -roundUp(-lowest, 1e-9) : 0;
  model("signal").y_range.setv({start, end: end > start ? end : start + 1});
  give("signal-line", {x, y: found.y});
  give("signal-band", found.exact ? {x: [], low: [], high: []} : {x, low: found.low, high: found.high});
};

const DASHES = [6];

/** The dashes of the second policy, but for lines that go up and down with each pixel: there they cannot be seen. */
const dash = (name, wanted) => {
  const {glyph} = state.renderers[name], dashes = wanted ? DASHES : [];
  if (String(glyph.line_dash) !== String(dashes)) glyph.line_dash = dashes;
};

/** What nobody can have, hatched from the top. */
const drawOut = (frame) => {
  const [{out, processors, shift}] = shown();
  if (!out.time.length) return;
  const {x, y} = drawn(out, frame.left - shift, frame.right - shift, frame.width);
  give("out", {x: x.map((each) => each + shift), low: y.map((each) => processors - each), high: x.map(() => processors)});
};

/** Rectangles in one of two ways: few as they are, many as an image. */
const drawRectangles = (name, gathered, frame) => {
  const few = gathered.length <= MOST_QUADS, shown = few ? gathered : new Gathered();
  state.merged[name] = !few;
  give(`${name}-quads`, {...shown.edges, fill: Array.from(shown.fill.subarray(0, shown.length), (at) => COLOURS[at])});
  if (few) give(`${name}-image`, {image: [], x: [], y: [], dw: [], dh: []});
  else {
    const picture = new state.pixelArray(rasterised(gathered, frame), [frame.height, frame.width]);
    const {left, right, bottom, top} = frame;
    give(`${name}-image`, {image: [picture], x: [left], y: [bottom], dw: [right - left], dh: [top - bottom]});
  }
};

const drawJobs = (policy, name) => {
  const frame = missing(name);
  if (!frame) return;
  drawRectangles(name, jobsInView(policy, frame, state.colours), frame);
  const {begin, end, low, height} = policy.closed, {shift} = policy, closed = new Gathered();
  for (let i = 0; i < begin.length; i++)
    if (begin[i] + shift < frame.right && end[i] + shift > frame.left)
      closed.add(begin[i] + shift, end[i] + shift, low[i], low[i] + height[i], 0);
  give(`${name}-closed`, closed.edges);
  ["resized", "interrupted"].forEach((how, at) => give(`${name}-${how}`, state.merged[name] ? NO_BREAKS : breaks(policy, frame, at + 1)));
};

const NO_BREAKS = {x: [], low: [], high: []};

/** The ends of the stages in view that ended in one way: in a resize (1), or in an interruption (2). */
const breaks = (policy, frame, how) => {
  const {begin, end, low, height, ended, latest} = policy.boxes, {shift} = policy, found = {x: [], low: [], high: []};
  const stop = above(begin, frame.right - shift);
  for (let i = above(latest, frame.left - shift); i < stop; i++) {
    if (ended[i] !== how || end[i] + shift <= frame.left) continue;
    found.x.push(end[i] + shift);
    found.low.push(low[i]);
    found.high.push(low[i] + height[i]);
  }
  return found;
};

const drawLanes = () => {
  const plot = model("lanes"), users = laneUsers(), frame = missing("lanes", plot.y_range.start, plot.y_range.end);
  if (!frame) return;
  drawRectangles("lanes", lanesInView(shown(), users, frame), frame);
  const first = Math.max(0, Math.floor(-frame.top)), last = Math.min(users.length, Math.ceil(-frame.bottom));
  const step = Math.max(1, Math.ceil((14 * (last - first)) / frame.height)), ticks = [];
  for (let lane = first; lane < last; lane += step) ticks.push(-lane - 0.5);
  const {ticker} = plot.left[0];
  if (ticker.ticks.join() !== ticks.join()) ticker.ticks = ticks;
};

/** The job that is chosen: with a rim where it ran, and its wait as a line before. */
const drawChosen = () => {
  if (state.marked === state.version) return;
  state.marked = state.version;
  ["boxes-a", "boxes-b"].filter(model).forEach((name, slot) => {
    const policy = shown()[slot], row = policy ? chosenRow(policy) : -1;
    const found = new Gathered(), wait = {x0: [], x1: [], y: []};
    if (row >= 0) {
      const {row: rows, begin, end, low, height} = policy.boxes, {shift, jobs} = policy;
      for (let i = 0; i < rows.length; i++)
        if (rows[i] === row) found.add(begin[i] + shift, end[i] + shift, low[i], low[i] + height[i], 0);
      if (found.length) {
        wait.x0.push(jobs.submit[row] + shift);
        wait.x1.push(found.left[0]);
        wait.y.push((found.bottom[0] + found.top[0]) / 2);
      }
    }
    give(`${name}-chosen`, found.edges);
    give(`${name}-wait`, wait);
  });
};

/** The row of the chosen job under a policy that is shown; -1 if none. */
const chosenRow = (policy) => {
  if (!state.chosen) return -1;
  const own = content.policies[state.chosen.policy];
  return own === policy ? state.chosen.row : twin(own, state.chosen.row, policy);
};

const draw = () => {
  waiting = false;
  drawSteps("use");
  drawSteps("queue");
  if (model("power")) drawSteps("power");
  if (model("signal")) drawSignal();
  shown().forEach((policy, slot) => drawJobs(policy, slot ? "boxes-b" : "boxes-a"));
  drawLanes();
  drawChosen();
  state.frames++;
};

/** Draw before the screen shows the next frame, however many things have changed by then. */
const redraw = () => {
  if (!waiting) requestAnimationFrame(draw);
  waiting = true;
};

/** The same after something else than the view has changed. */
const renew = () => {
  state.version++;
  redraw();
};
