// What people do: move, zoom, pick, choose, compare, align; by mouse, touch, keyboard and form.

const element = (id) => document.getElementById(id);
const PAN = 0.2, ZOOM = 1.6;
/** How far from a job the pointer may be (pixels). */
const NEAR = 3;

const setTime = (first, last) => {
  const whole = content.last - content.first, least = 1e-3;
  const length = Math.min(Math.max(last - first, least), 1.2 * whole || 1);
  const middle = (first + last) / 2;
  time.setv({start: middle - length / 2, end: middle + length / 2});
};
const pan = (share) => setTime(time.start + share * (time.end - time.start), time.end + share * (time.end - time.start));
const zoom = (factor, at = (time.start + time.end) / 2) =>
  setTime(at - (at - time.start) / factor, at + (time.end - at) / factor);
const wholeRun = () => setTime(content.first, content.last > content.first ? content.last : content.first + 1);

/** Show some lanes, from one on. */
const setLanes = (first, many) => {
  const range = model("lanes").y_range, most = laneUsers().length;
  const height = Math.min(many, Math.max(most, 1)), top = Math.max(0, Math.min(first, most - height));
  range.setv({start: -top - height, end: -top});
};
const scrollLanes = (by) => {
  const {start, end} = model("lanes").y_range;
  setLanes(-end + by, end - start);
};
const moreLanes = (factor) => {
  const {start, end} = model("lanes").y_range;
  setLanes(-end, Math.max(1, (end - start) * factor));
};
const LANES = 12;

// -- what the pointer is on -------------------------------------------------------------------------------------------

const tooltip = (lines, event) => {
  const box = element("tooltip");
  if (!lines) {
    box.hidden = true;
    return;
  }
  fill(box, lines);
  box.hidden = false;
  const {pageX, pageY} = event, {offsetWidth: width, offsetHeight: height} = box, room = document.documentElement.clientWidth;
  const left = pageX + 14 + width > window.scrollX + room ? Math.max(window.scrollX + 4, pageX - 14 - width) : pageX + 14;
  const below = pageY + 14 + height < window.scrollY + window.innerHeight;
  box.style.left = `${left}px`;
  box.style.top = `${below ? pageY + 14 : Math.max(window.scrollY + 4, pageY - 14 - height)}px`;
};

/** Lines as elements; texts stay texts, whatever is in them. */
const fill = (box, lines) => {
  box.replaceChildren(...lines.map((line, at) => {
    const each = document.createElement(at ? "div" : "strong");
    each.textContent = line;
    return each;
  }));
};

/** The row of the job at a place of a panel of jobs; -1 if none is near. */
const jobAt = (policy, plot, x, y) => {
  const {row, begin, end, low, height, latest} = policy.boxes, at = x - policy.shift;
  const [pixels] = pixelsOf(plot), near = (NEAR * (time.end - time.start)) / pixels;
  let found = -1, distance = near;
  for (let i = above(latest, at - near), stop = above(begin, at + near); i < stop; i++) {
    if (y < low[i] || y >= low[i] + height[i] || end[i] < at - near) continue;
    const away = Math.max(begin[i] - at, at - end[i], 0);
    if (away === 0 && end[i] > at) return row[i];
    if (away < distance) [found, distance] = [row[i], away];
  }
  return found;
};

const closedAt = (policy, x, y) => {
  const {begin, end, low, height, what} = policy.closed, at = x - policy.shift;
  const found = begin.findIndex((_, i) => begin[i] <= at && at < end[i] && low[i] <= y && y < low[i] + height[i]);
  return found < 0 ? null : [what[found], `${moment(begin[found])} to ${moment(end[found])}, ${duration(end[found] - begin[found])}`];
};

/** The policy and the user of a lane. */
const laneAt = (y) => {
  const lane = Math.floor(-y), policies = shown(), slot = Math.min(policies.length - 1, Math.floor((-y - lane) * policies.length));
  return [policies[slot], laneUsers()[lane]];
};

const linesAt = (name, x, y) => {
  const policies = shown();
  if (name === "use" || name === "queue") return ofTime(policies, x);
  if (name === "power" || name === "signal") return ofPower(policies, x);
  if (name === "lanes") {
    const [policy, user] = laneAt(y);
    if (user === undefined) return null;
    const found = ofUser(policy, user, x - policy.shift), head = policies.length > 1 ? [`Under ${policy.name}`] : [];
    return found ? [...found.lines, ...head] : [userName(user), "Nothing submitted yet", ...head];
  }
  const [policy, other] = name === "boxes-a" ? policies : [...policies].reverse();
  const row = jobAt(policy, model(name), x, y);
  return row < 0 ? closedAt(policy, x, y) : ofJob(policy, row, other);
};

// -- choosing ---------------------------------------------------------------------------------------------------------

const choose = (policy, row, follow = false) => {
  state.chosen = row < 0 ? null : {policy: content.policies.indexOf(policy), row};
  const box = element("chosen"), other = shown().find((each) => each !== policy);
  if (row < 0) fill(box, ["No job is chosen", "Click on one, or press n for the next."]);
  else fill(box, ofJob(policy, row, other));
  element("align").disabled = row < 0 || !other;
  if (row >= 0 && follow) followJob(policy, row);
  renew();
};

/** Move the view to a job if it is not in it. */
const followJob = (policy, row) => {
  const {submit, start, end, user} = policy.jobs, from = submit[row] + policy.shift;
  const to = [end[row], start[row], submit[row]].find((each) => !Number.isNaN(each)) + policy.shift;
  if (to < time.start || from > time.end) {
    const length = time.end - time.start, middle = (from + to) / 2;
    setTime(middle - length / 2, middle + length / 2);
  }
  const lane = laneUsers().indexOf(user[row]), range = model("lanes").y_range;
  if (lane >= 0 && (lane < -range.end || lane + 1 > -range.start)) setLanes(lane - 2, range.end - range.start);
};

/** The job before or after the chosen one, in order of submission, of the users that are picked. */
const nextJob = (by) => {
  const [policy] = shown(), {order, jobs} = ordered(policy), own = (row) => !state.picked.length || state.picked.includes(jobs.user[row]);
  const now = chosenRow(policy);
  let at = now < 0 ? order.findIndex((row) => jobs.submit[row] + policy.shift >= time.start) - (by > 0 ? 1 : 0) : order.indexOf(now);
  for (at += by; at >= 0 && at < order.length; at += by) if (own(order[at])) return choose(policy, order[at], true);
  return undefined;
};

/** Show the chosen job, from its submission to its end, with as much again beside it. */
const zoomOnChosen = () => {
  const [policy] = shown(), row = chosenRow(policy);
  if (row < 0) return;
  const {submit, start, end} = policy.jobs, from = submit[row] + policy.shift;
  const to = [end[row], start[row], submit[row]].find((each) => !Number.isNaN(each)) + policy.shift;
  const beside = Math.max(to - from, 1) / 2;
  setTime(from - beside, to + beside);
};

const findJob = (text) => {
  const [policy] = shown(), row = rowOf(policy, Number(text));
  if (row === undefined) return fill(element("chosen"), [`There is no job ${text}`]);
  return choose(policy, row, true);
};

// -- users and policies -----------------------------------------------------------------------------------------------

const MOST_LISTED = 200;

const listUsers = () => {
  const wanted = element("filter").value.trim().toLowerCase();
  const found = content.users.map((_, user) => [userName(user), user]).filter(([name]) => name.toLowerCase().includes(wanted));
  element("users").replaceChildren(...found.slice(0, MOST_LISTED).map(([name, user]) => {
    const label = document.createElement("label"), box = document.createElement("input");
    box.type = "checkbox";
    box.checked = state.picked.includes(user);
    box.addEventListener("change", () => pick(box.checked ? [...state.picked, user] : state.picked.filter((each) => each !== user)));
    label.append(box, ` ${name}`);
    return label;
  }));
  const rest = found.length - MOST_LISTED;
  element("listed").textContent = rest > 0 ? `and ${count(rest)} more; type a part of a name` : "";
};

const pick = (users) => {
  state.picked = users;
  state.colours = userColours(users);
  element("picked").textContent = users.length ? `(${users.length} picked)` : "(all)";
  setLanes(0, LANES);
  listUsers();
  legend();
  renew();
};

/** What colours mean: users, and the two policies. */
const legend = () => {
  const policies = shown(), {colours} = state, entries = [];
  const own = state.picked.length ? state.picked : content.users.map((_, user) => user);
  own.slice(0, PALETTE.length).forEach((user) => entries.push([NAMES[colours[user]], userName(user)]));
  const rest = content.users.length - entries.length;
  if (rest > 0) entries.push([state.picked.length ? FAINT : OTHERS, counted(rest, "other")]);
  const ends = [["resized", "line dashed"], ["interrupted", "line"]].filter((_, at) => policies.some(({boxes}) => boxes.ended.includes(at + 1)));
  element("colours").replaceChildren(...entries.map(([colour, name]) => entry(name, colour)), ...ends.map(([name, kind]) => entry(name, "--ink", kind)));
  element("lines").replaceChildren(
    ...policies.map(({name}, slot) => entry(name, PAIR[slot], slot ? "line dashed" : "line")),
    entry("in use; zoomed out, from the least to the most", PAIR[0], "band"),
    entry(policies.every(({processors}) => processors === policies[0].processors) ? `all ${counted(policies[0].processors, "processor")}` : "all processors", "--faint", "line"),
    ...(policies[0].out.time.length ? [entry("down, or in a window", "--faint", "hatch")] : []));
  if (model("power")) powerLegend(policies);
  element("halves").textContent = policies.length > 1
    ? `In each lane, ${policies[0].name} is above and ${policies[1].name} below.` : "";
  for (const [slot, policy] of [["a", policies[0]], ["b", policies[1]]])
    element(`title-${slot}`).textContent = policy && content.policies.length > 1 ? `under ${policy.name}` : "";
};

const powerLegend = (policies) => {
  const [{cap, signal}] = policies;
  element("power-lines").replaceChildren(
    ...policies.flatMap(({name, power}, slot) => (power ? [entry(name, PAIR[slot], slot ? "line dashed" : "line")] : [])),
    ...(cap ? [entry("cap", "--ink", "line dotted")] : []),
    ...(signal ? [entry(`below: ${signal.name}${signal.unit ? ` (${signal.unit})` : ""}`, "--policy-2", "line")] : []));
};

const entry = (text, colour, kind = "box") => {
  const item = document.createElement("li"), swatch = document.createElement("span");
  swatch.className = `swatch ${kind}`;
  swatch.style.setProperty("--own", `var(${colour})`);
  item.append(swatch, text);
  return item;
};

const showPolicies = (first, second) => {
  const same = second === first ? null : second;
  const kept = state.chosen && shown()[0];
  const row = kept ? chosenRow(kept) : -1;
  Object.assign(state, {first, second: same});
  content.policies.forEach((policy) => (policy.shift = 0));
  element("first").value = String(first);
  element("second").value = same === null ? "" : String(same);
  element("panel-b").hidden = same === null;
  if (model("boxes-b")) model("boxes-b").visible = same !== null;
  element("apart").hidden = true;
  shown().forEach((policy, slot) => {
    const plot = model(slot ? "boxes-b" : "boxes-a");
    plot.y_range.setv({start: 0, end: policy.unit.count});
    plot.left[0].axis_label = policy.unit.name;
  });
  const [policy] = shown();
  choose(policy, kept && row >= 0 ? (kept === policy ? row : twin(kept, row, policy)) : -1);
  legend();
  renew();
};

/** Move the second policy in time, so that the chosen job is submitted at the same time under both. */
const align = () => {
  const [policy, other] = shown();
  if (!other) return;
  const row = chosenRow(policy), same = row < 0 ? -1 : twin(policy, row, other);
  const shift = same < 0 ? 0 : policy.jobs.submit[row] - other.jobs.submit[same];
  other.shift = other.shift === shift ? 0 : shift;
  const box = element("apart");
  box.hidden = other.shift === 0;
  box.textContent = `${other.name} is shown ${duration(Math.abs(other.shift))} ${other.shift > 0 ? "later" : "earlier"} than it was.`;
  renew();
};

const KEYS = {
  ArrowLeft: () => pan(-PAN),
  ArrowRight: () => pan(PAN),
  ArrowUp: () => scrollLanes(-1),
  ArrowDown: () => scrollLanes(1),
  PageUp: () => scrollLanes(-LANES),
  PageDown: () => scrollLanes(LANES),
  "+": () => zoom(ZOOM),
  "=": () => zoom(ZOOM),
  "-": () => zoom(1 / ZOOM),
  "]": () => moreLanes(1 / 1.5),
  "[": () => moreLanes(1.5),
  0: wholeRun,
  n: () => nextJob(1),
  p: () => nextJob(-1),
  Enter: zoomOnChosen,
  a: align,
  s: () => state.second !== null && showPolicies(state.second, state.first),
  Escape: () => choose(shown()[0], -1),
};
