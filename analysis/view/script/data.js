// The content of the page as plain objects with typed arrays.

const MISSING = -(2 ** 31);
const NOBODY = "no user";
const TIMES = ["submit", "start", "end", "begin", "time", "promised", "latest_start", "eligible", "think", "estimate"];

let content;

/** What Bokeh has read: maps become objects, and whole times doubles, in which NaN is missing. */
const plain = (value, name) => {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, each]) => [key, plain(each, key)]));
  if (value?.constructor === Object)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each, key)]));
  if (Array.isArray(value)) return value.map((each) => plain(each));
  if (value instanceof Int32Array && TIMES.includes(name))
    return Float64Array.from(value, (each) => (each === MISSING ? NaN : each));
  return value;
};

/** What is looked up often: sums of steps, where each user's lane begins, and the rows of each user. */
const prepare = (policy) => {
  policy.shift = 0;
  for (const name of ["use", "queue", "out"]) {
    const {time, value} = policy[name], area = new Float64Array(time.length);
    for (let i = 1; i < time.length; i++) area[i] = area[i - 1] + value[i - 1] * (time[i] - time[i - 1]);
    policy[name].area = area;
  }
  policy.lanes.first = firsts(policy.lanes.user);
  policy.episodes.first = firsts(policy.episodes.user);
  policy.rows = content.users.map(() => []);
  const {user, submit, id} = policy.jobs, order = [...user.keys()];
  order.sort((a, b) => submit[a] - submit[b] || id[a] - id[b]);
  policy.place = new Int32Array(user.length);
  for (const row of order) policy.place[row] = policy.rows[user[row]].push(row) - 1;
  policy.order = order;
  policy.row = new Map(Array.from(id, (number, row) => [number, row]));
};

/** Where each user begins in a column that is sorted by user, with its length at the end. */
const firsts = (user) => {
  const first = new Int32Array(content.users.length + 1);
  for (const each of user) first[each + 1]++;
  for (let i = 1; i < first.length; i++) first[i] += first[i - 1];
  return first;
};

/** The first place in a sorted column, between two, whose value is above this one. */
const above = (column, value, low = 0, high = column.length) => {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (column[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** The same job under another policy; -1 if there is none. */
const twin = (policy, row, other) => {
  if (content.alike === "id") return other.row.get(policy.jobs.id[row]) ?? -1;
  return other.rows[policy.jobs.user[row]][policy.place[row]] ?? -1;
};
