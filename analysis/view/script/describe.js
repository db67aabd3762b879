// What is said of a job, of what a user did, and of a time: lists of lines, the first of which is a title.

const owner = (user) => (content.users[user] === NOBODY ? NOBODY : `user ${content.users[user]}`);

/** A user by name, or as a user if the name is a number. */
const userName = (user) => (/^\d+$/.test(content.users[user]) ? owner(user) : content.users[user]);

/** A job under a policy. */
const ofJob = (policy, row, other) => {
  const {jobs, labels} = policy, who = owner(jobs.user[row]), state = content.states[jobs.state[row]];
  const campaign = jobs.campaign[row] >= 0 ? `, campaign ${jobs.campaign[row]}` : "";
  const [submit, start, end] = ["submit", "start", "end"].map((name) => jobs[name][row]);
  const lines = [`Job ${jobs.id[row]} of ${who}${campaign}`];
  const named = Object.keys(labels).filter((name) => jobs[name][row] >= 0)
    .map((name) => `${name} ${labels[name][jobs[name][row]]}`);
  if (named.length) lines.push(named.join(", "));
  lines.push(`${counted(jobs.processors[row], "processor")} asked for ${duration(jobs.estimate[row])}; ${state}`);
  lines.push(`Submitted ${moment(submit)}${dated(submit)}`);
  if (!Number.isNaN(start)) lines.push(`Started ${moment(start)}, after ${duration(start - submit)} of waiting`);
  else if (!Number.isNaN(end)) lines.push(`Gave up ${moment(end)}, after ${duration(end - submit)} of waiting`);
  if (!Number.isNaN(start)) lines.push(Number.isNaN(end) ? "Still ran at the end of the run"
    : `Ended ${moment(end)}, ${duration(end - start)} after its start`);
  lines.push(...sizesOf(policy, row));
  if (jobs.runs && jobs.runs[row] > 1) lines.push(`${jobs.runs[row]} runs; ${duration(jobs.lost[row])} lost`);
  lines.push(policy.why[jobs.why[row]], ...aheadOf(policy, row), ...closedDuring(policy, submit, start));
  for (const [name, words] of [["promised", "Start promised at submission"], ["latest_start", "Guaranteed to start by"]])
    if (jobs[name] && !Number.isNaN(jobs[name][row])) lines.push(`${words}: ${moment(jobs[name][row])}`);
  const after = jobs.after[row];
  if (after >= 0) lines.push(`It started when ${jobs.shrank?.[row] ? `${jobCalled(policy, after)} shrank by ${counted(jobs.shrank[row], "processor")}`
    : `${jobCalled(policy, after)} ended (${counted(jobs.processors[after], "processor")})`}`);
  return other ? [...lines, ...besides(policy, row, other)] : lines;
};

const jobCalled = ({jobs}, row) => `job ${jobs.id[row]} of ${owner(jobs.user[row])}`;

/** Which sizes a job may have, which it had, and what its resizes were for. */
const sizesOf = (policy, row) => {
  const {shapes, stages, jobs, now} = policy, {begin, end, processors, ended, other} = stages, of = stages.of.get(row) ?? [];
  const lines = jobs.shape?.[row] >= 0 ? [shapes[jobs.shape[row]]] : [], found = [];
  if (!of.length) return lines;
  const parts = of.map((at) => `${counted(processors[at], "processor")} for ${duration((Number.isNaN(end[at]) ? now : end[at]) - begin[at])}`);
  const cut = parts.length - MOST_STAGES;
  lines.push(`It had ${parts.slice(0, MOST_STAGES).join(", ")}${cut > 0 ? `, and ${cut} more sizes` : ""}`);
  for (const [before, at] of of.slice(1).map((at, place) => [of[place], at])) {
    if (ended[before] !== RESIZED) continue;
    const more = processors[at] - processors[before], why = other[at];
    const cause = more < 0 ? (why < 0 ? "" : `, and ${jobCalled(policy, why)} started`)
      : why < 0 ? ", on what was idle" : `, when ${jobCalled(policy, why)} gave some back`;
    found.push(`${more < 0 ? "shrank" : "grew"} to ${count(processors[at])} at ${moment(begin[at])}${cause}`);
  }
  const rest = found.length - MOST_STAGES;
  if (found.length) lines.push(`It ${found.slice(0, MOST_STAGES).join("; ")}${rest > 0 ? `; and ${rest} more resizes` : ""}`);
  return lines;
};
const MOST_STAGES = 6, RESIZED = 1;

/** Who was first in the queue when a job was last passed over, and when there would be room for that head. */
const aheadOf = ({jobs}, row) => {
  const head = jobs.head?.[row] ?? -1;
  if (head < 0) return [];
  const who = head === row ? "It was then first in the queue itself"
    : `First in the queue was then job ${jobs.id[head]} of ${owner(jobs.user[head])} (${counted(jobs.processors[head], "processor")})`;
  const shadow = jobs.shadow[row];
  return [Number.isNaN(shadow) ? who : `${who}; its shadow time, when running jobs leave it room by their estimates, was ${moment(shadow)}`];
};

/** Windows and outages during a wait. */
const closedDuring = ({closed, now}, submit, start) => {
  const until = Number.isNaN(start) ? now : start, {begin, end, what} = closed, found = [];
  for (let i = 0; i < begin.length; i++)
    if (begin[i] < until && end[i] > submit) found.push(`${what[i]} ${moment(begin[i])} to ${moment(end[i])}`);
  const told = [...new Set(found)], rest = told.length - MOST_CLOSED;
  if (!told.length || until <= submit) return [];
  return [`During its wait: ${told.slice(0, MOST_CLOSED).join("; ")}${rest > 0 ? `; and ${rest} more` : ""}`];
};
const MOST_CLOSED = 3;

/** The same job under the other policy. */
const besides = (policy, row, other) => {
  const same = twin(policy, row, other);
  if (same < 0) return [`Under ${other.name} there is no such job`];
  const [mine, theirs] = [[policy, row], [other, same]].map(([each, at]) => each.jobs.start[at] - each.jobs.submit[at]);
  if (Number.isNaN(theirs)) return [`Under ${other.name} it never started`];
  const change = theirs - mine, than = Number.isNaN(change) ? "" : !change ? ", the same"
    : `, ${duration(Math.abs(change))} ${change > 0 ? "more" : "less"}`;
  const later = other.jobs.submit[same] - policy.jobs.submit[row];
  const moved = later ? `; it was submitted ${duration(Math.abs(later))} ${later > 0 ? "later" : "earlier"}` : "";
  return [`Under ${other.name} it waited ${duration(theirs)}${than}${moved}`];
};

/** What a user did at a time: the episode that has begun last, or the think time after it; null if nothing has. */
const ofUser = (policy, user, time) => {
  const {submit, start, end, jobs, campaign, think, first} = policy.episodes;
  const from = first[user], to = first[user + 1], at = above(submit, time, from, to) - 1;
  if (at < from) return null;
  const over = Number.isNaN(end[at]) ? policy.now : end[at], next = at + 1 < to ? submit[at + 1] : NaN;
  const what = counted(jobs[at], "job"), name = campaign[at] >= 0 ? `Campaign ${campaign[at]}, ${what},` : what;
  const lines = [`${name} of ${owner(user)}`, `Submitted ${moment(submit[at])}${dated(submit[at])}`];
  lines.push(Number.isNaN(start[at]) ? "No job has started" : `First start after ${duration(start[at] - submit[at])}`);
  lines.push(Number.isNaN(end[at]) ? "Not over at the end of the run"
    : `All over ${moment(end[at])}, ${duration(over - submit[at])} after the submission`);
  if (!Number.isNaN(next)) {
    const known = think[at + 1], gap = next - over;
    if (!Number.isNaN(known)) lines.push(`Next submission ${moment(next)}, after ${duration(known)} of thinking`);
    else if (gap >= 0) lines.push(`Next submission ${moment(next)}, ${duration(gap)} later`);
    else lines.push(`Next submission ${moment(next)}, before all was over`);
  }
  if (time >= over && !Number.isNaN(next)) lines.push("Now thinking, or away");
  return {lines, at};
};

/** The processors in use and in the queue at a time. */
const ofTime = (policies, time) => [
  `${moment(time)}${dated(time)}`,
  ...policies.map((policy) => {
    const [used, queued] = ["use", "queue"].map((name) => valueAt(policy[name], above(policy[name].time, time - policy.shift) - 1));
    const who = policies.length > 1 ? `${policy.name}: ` : "";
    return `${who}${count(used)} of ${counted(policy.processors, "processor")} in use, ${count(queued)} asked for in the queue`;
  }),
];

/** What the machine draws at a time, its cap, and the signal. */
const ofPower = (policies, time) => {
  const at = (steps, shift) => valueAt(steps, above(steps.time, time - shift) - 1);
  const lines = policies.filter(({power}) => power).map(({name, power, cap, shift}) => {
    const limit = cap ? at(cap, shift) : -1, who = policies.length > 1 ? `${name}: ` : "";
    return `${who}${watts(at(power, shift))}${limit >= 0 ? ` of ${watts(limit)}` : ""}`;
  });
  const [{signal, shift}] = policies, there = signal && signal.begin <= time - shift && time - shift < signal.end;
  if (there) lines.push(`${signal.name}: ${digits(at(signal, shift))}${signal.unit ? ` ${signal.unit}` : ""}`);
  return [`${moment(time)}${dated(time)}`, ...lines];
};
