// Level of detail: of thousands of rectangles, only what is in view, and what is below a pixel merged.

/** With more rectangles than this in view, they are merged into one image. */
const MOST_QUADS = 1200;
/** How much of a pixel's colour the smallest rectangle gives it. */
const LEAST = 0.18;

/** Rectangles, gathered for one panel, in columns that grow. */
class Gathered {
  constructor() {
    this.length = 0;
    this.grow(256);
  }

  grow(room) {
    for (const [name, array] of [...SIDES.map((side) => [side, Float64Array]), ["fill", Uint8Array]]) {
      const wider = new array(room);
      if (this.length) wider.set(this[name]);
      this[name] = wider;
    }
  }

  add(left, right, bottom, top, fill) {
    if (this.length === this.fill.length) this.grow(2 * this.length);
    const at = this.length++;
    this.left[at] = left;
    this.right[at] = right;
    this.bottom[at] = bottom;
    this.top[at] = top;
    this.fill[at] = fill;
  }

  clear() {
    this.length = 0;
    return this;
  }

  /** The sides as Bokeh takes them. */
  get edges() {
    return Object.fromEntries(SIDES.map((side) => [side, this[side].slice(0, this.length)]));
  }
}
const SIDES = ["left", "right", "bottom", "top"];
/** Of the panel that is drawn: kept, since room for a hundred thousand takes long to get. */
const many = new Gathered();

let sums = new Float32Array(0);

/** The rectangles as an image of the frame's width times height pixels: each has the mean colour of what covers it. */
const rasterised = (gathered, frame) => {
  const {width, height} = frame;
  const size = 4 * width * height, pixels = new Uint32Array(width * height);
  if (sums.length < size) sums = new Float32Array(size);
  else sums.fill(0, 0, size);
  const acrossScale = width / (frame.right - frame.left), upScale = height / (frame.top - frame.bottom);
  const {left: lefts, right: rights, bottom: bottoms, top: tops, fill, length} = gathered;
  for (let i = 0; i < length; i++) {
    const left = Math.max(0, (lefts[i] - frame.left) * acrossScale);
    const right = Math.min(width, (rights[i] - frame.left) * acrossScale);
    const bottom = Math.max(0, (bottoms[i] - frame.bottom) * upScale);
    const top = Math.min(height, (tops[i] - frame.bottom) * upScale);
    const colour = fill[i], solid = SOLID[colour];
    const first = Math.floor(left), last = Math.min(width - 1, Math.floor(right));
    // Columns that it fills altogether; those at its sides it shares with others.
    const full = left === first ? first : first + 1;
    for (let y = Math.floor(bottom); y < top; y++) {
      const tall = Math.min(top, y + 1) - Math.max(bottom, y), row = y * width;
      if (tall > 0.999 && last > full) {
        pixels.fill(solid, row + full, row + last);
        if (full > first) cover(row + first, first + 1 - left, colour);
        if (right > last) cover(row + last, right - last, colour);
      } else {
        for (let x = first; x < right; x++)
          cover(row + x, tall * (Math.min(right, x + 1) - Math.max(left, x)), colour);
      }
    }
  }
  for (let i = 0, at = 3; i < pixels.length; i++, at += 4) if (sums[at] > 0) pixels[i] = blended(pixels[i], at - 3);
  return pixels;
};

/** Add to what covers a pixel. */
const cover = (pixel, share, colour) => {
  const at = 4 * pixel, rgb = 3 * colour;
  sums[at] += share * RGB[rgb];
  sums[at + 1] += share * RGB[rgb + 1];
  sums[at + 2] += share * RGB[rgb + 2];
  sums[at + 3] += share;
};

/** The colour of a pixel that several share, as red, green, blue and how much of it is covered. */
const blended = (solid, at) => {
  const covered = sums[at + 3];
  const alpha = solid ? 255 : Math.min(1, LEAST + (1 - LEAST) * covered) * 255;
  return ((alpha << 24) | ((sums[at + 2] / covered) << 16) | ((sums[at + 1] / covered) << 8) | (sums[at] / covered)) >>> 0;
};
