// Jobs over time and processors, and the lanes of users, as rectangles in view.

/** The lowest and highest part of a lane that waiting, running and thinking take: they differ without colours, too. */
const PARTS = [[0.28, 0.72], [0.0, 1.0], [0.46, 0.54]];
const MARGIN = 0.08;

/** The colour of each user: those that are picked, or else those with most work, have their own. */
const userColours = (picked) => {
  const own = picked.length ? picked : content.users.map((_, user) => user);
  const colours = new Int32Array(content.users.length).fill(colourPlace(picked.length ? FAINT : OTHERS));
  own.slice(0, PALETTE.length).forEach((user, at) => (colours[user] = colourPlace(PALETTE[at])));
  if (picked.length) own.slice(PALETTE.length).forEach((user) => (colours[user] = colourPlace(MORE)));
  return colours;
};

/** The jobs of a policy that are in view. */
const jobsInView = (policy, frame, colours) => {
  const {row, begin, end, low, height, latest} = policy.boxes, found = many.clear(), {shift} = policy;
  const stop = above(begin, frame.right - shift);
  for (let i = above(latest, frame.left - shift); i < stop; i++) {
    if (end[i] + shift <= frame.left || low[i] >= frame.top || low[i] + height[i] <= frame.bottom) continue;
    found.add(begin[i] + shift, end[i] + shift, low[i], low[i] + height[i], colours[policy.jobs.user[row[i]]]);
  }
  return found;
};

/** The place of a part of a lane (lane 0 is on top): the whole of it, or the half of one of two policies. */
const laneEdges = (lane, kind, slot, slots) => {
  const height = (1 - 2 * MARGIN) / slots, bottom = -lane - 1 + MARGIN + (slots - 1 - slot) * height;
  const gap = slots > 1 ? 0.06 * height : 0;
  return PARTS[kind].map((part) => bottom + gap + part * (height - 2 * gap));
};

/** The lanes of some users that are in view. */
const lanesInView = (policies, users, frame) => {
  const found = many.clear(), kinds = KINDS.map(colourPlace);
  policies.forEach((policy, slot) => {
    const {begin, end, kind, first} = policy.lanes, {shift} = policy;
    const top = Math.max(0, Math.floor(-frame.top)), bottom = Math.min(users.length, Math.ceil(-frame.bottom));
    for (let lane = top; lane < bottom; lane++) {
      const from = first[users[lane]], to = first[users[lane] + 1];
      const edges = kinds.map((_, each) => laneEdges(lane, each, slot, policies.length));
      for (let i = above(end, frame.left - shift, from, to); i < to && begin[i] + shift < frame.right; i++)
        found.add(begin[i] + shift, end[i] + shift, ...edges[kind[i]], kinds[kind[i]]);
    }
  });
  return found;
};
