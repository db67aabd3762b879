// Step functions of time: all steps if few are in view, else the mean of each pixel and the range behind it.

/** The value of a step function from one of its steps on. */
const valueAt = (steps, at) => (at < 0 ? 0 : steps.value[at]);

/** The integral of a step function up to a time. */
const integral = (steps, time) => {
  const at = above(steps.time, time) - 1;
  return at < 0 ? 0 : steps.area[at] + steps.value[at] * (time - steps.time[at]);
};

/** A step function between two times, as points to join, with the range from least to most; `most` is the highest. */
const drawn = (steps, first, last, pixels) => {
  const from = above(steps.time, first) - 1, to = above(steps.time, last);
  return to - from <= pixels ? exactly(steps, first, last, from, to) : merged(steps, first, last, from, pixels);
};

const exactly = (steps, first, last, from, to) => {
  const x = [first], y = [valueAt(steps, from)];
  for (let i = from + 1; i < to; i++) {
    x.push(steps.time[i], steps.time[i]);
    y.push(y.at(-1), steps.value[i]);
  }
  x.push(last);
  y.push(y.at(-1));
  return {x, y, low: y.map(() => 0), high: y, most: Math.max(...y), exact: true};
};

const merged = (steps, first, last, from, pixels) => {
  const width = (last - first) / pixels, x = [], y = [], low = [], high = [];
  let at = from, before = integral(steps, first), most = 0;
  for (let pixel = 0; pixel < pixels; pixel++) {
    const end = first + (pixel + 1) * width, sum = integral(steps, end);
    let least = valueAt(steps, at), greatest = least;
    while (at + 1 < steps.time.length && steps.time[at + 1] < end) {
      at++;
      least = Math.min(least, steps.value[at]);
      greatest = Math.max(greatest, steps.value[at]);
    }
    x.push(end - width / 2);
    y.push((sum - before) / width);
    low.push(least);
    high.push(greatest);
    before = sum;
    most = Math.max(most, greatest);
  }
  return {x, y, low, high, most, exact: false};
};

/** A round number at or above this one, for the end of an axis. */
const roundUp = (value, least = 1) => {
  if (value <= least) return least;
  const step = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((each) => each * step).find((each) => each >= value);
};
