// The content of the page as plain objects with typed arrays.

const MISSING = -(2 ** 31);
const NOBODY = "no user";
const TIMES = ["submit", "start", "end", "begin", "time", "promised", "latest_start", "shadow", "eligible", "think", "estimate"];
const ARRAYS = {uint8: Uint8Array, int16: Int16Array, int32: Int32Array, float64: Float64Array};

let content;

/** The bytes of all columns: the browser itself unpacks them, beside this script. */
const unpacked = async (text) => {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
};

const bytesOf = (text) => {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
};

/** Values as they were packed: a note of a column becomes the column. */
const plain = (value, block, name) => {
  if (Array.isArray(value)) return value.map((each) => plain(each, block));
  if (value === null || typeof value !== "object") return value;
  if (value.numbers) return column(value, block, name);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each, block, key)]));
};

/** Numbers whose first bytes come first, then their second ones. Whole times become doubles, in which NaN is missing. */
const column = ({numbers, count, at, grows}, block, name) => {
  const found = new ARRAYS[numbers](count), size = found.BYTES_PER_ELEMENT;
  const parts = Array.from({length: size}, (_, part) => block.subarray(at + part * count, at + (part + 1) * count));
  JOINED[size](found, ...parts);
  if (grows) for (let i = 1; i < count; i++) found[i] += found[i - 1];
  if (numbers !== "int32" || !TIMES.includes(name)) return found;
  const times = new Float64Array(found);
  for (let i = 0; i < count; i++) if (found[i] === MISSING) times[i] = NaN;
  return times;
};

/** Numbers out of their bytes, by how many there are of each. */
const JOINED = {
  1: (found, bytes) => found.set(bytes),
  2: (found, a, b) => {
    for (let i = 0; i < found.length; i++) found[i] = a[i] | (b[i] << 8);
  },
  4: (found, a, b, c, d) => {
    for (let i = 0; i < found.length; i++) found[i] = a[i] | (b[i] << 8) | (c[i] << 16) | (d[i] << 24);
  },
  8: (found, ...parts) => {
    const bytes = new Uint8Array(found.buffer);
    parts.forEach((part, k) => part.forEach((byte, i) => (bytes[8 * i + k] = byte)));
  },
};

/** What is looked up often: sums of steps, where each user's lane begins, and when all so far were over. */
const prepare = (policy) => {
  policy.shift = 0;
  for (const name of ["use", "queue", "out", "power", "signal"].filter((each) => policy[each])) {
    const {time, value} = policy[name], area = new Float64Array(time.length);
    for (let i = 1; i < time.length; i++) area[i] = area[i - 1] + value[i - 1] * (time[i] - time[i - 1]);
    policy[name].area = area;
  }
  policy.lanes.first = firsts(policy.lanes.user);
  policy.episodes.first = firsts(policy.episodes.user);
  policy.boxes.latest = running(policy.boxes.end);
  policy.stages.of = new Map();
  policy.stages.row.forEach((row, at) => policy.stages.of.set(row, [...(policy.stages.of.get(row) ?? []), at]));
};

/** Jobs by submission, the rows of each user, and the place of each job among those of its user; found when asked for. */
const ordered = (policy) => {
  if (policy.order) return policy;
  const {user, submit, id} = policy.jobs, order = Int32Array.from(user.keys());
  policy.order = order.sort((a, b) => submit[a] - submit[b] || id[a] - id[b]);
  policy.rows = content.users.map(() => []);
  policy.place = new Int32Array(user.length);
  for (const row of order) policy.place[row] = policy.rows[user[row]].push(row) - 1;
  return policy;
};

/** Where each user begins in a column that is sorted by user, with its length at the end. */
const firsts = (user) => {
  const first = new Int32Array(content.users.length + 1);
  for (const each of user) first[each + 1]++;
  for (let i = 1; i < first.length; i++) first[i] += first[i - 1];
  return first;
};

/** The greatest value so far. */
const running = (column) => {
  const found = new Float64Array(column);
  for (let i = 1; i < found.length; i++) if (!(found[i] >= found[i - 1])) found[i] = found[i - 1];
  return found;
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

/** The row of a job by its number; undefined if there is none. */
const rowOf = (policy, number) => {
  policy.row ??= new Map(Array.from(policy.jobs.id, (each, row) => [each, row]));
  return policy.row.get(number);
};

/** The same job under another policy; -1 if there is none. */
const twin = (policy, row, other) => {
  if (content.alike === "id") return rowOf(other, policy.jobs.id[row]) ?? -1;
  return ordered(other).rows[policy.jobs.user[row]][ordered(policy).place[row]] ?? -1;
};
