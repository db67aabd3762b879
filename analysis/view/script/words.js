// Numbers and times as text, in the forms that the command line uses.

const UNITS = [[86400, "d"], [3600, "h"], [60, "m"], [1, "s"]];

/** A duration (s) in its two largest units, such as 1h 23m. */
const duration = (seconds) => {
  if (Number.isNaN(seconds)) return "–";
  if (!Number.isFinite(seconds)) return "for ever";
  const rest = Math.abs(seconds), sign = seconds < 0 ? "-" : "";
  if (rest < 60) return `${sign}${Number(rest.toFixed(rest < 10 ? 1 : 0))}s`;
  const at = UNITS.findIndex(([size]) => rest >= size);
  const [size, unit] = UNITS[at], [below, small] = UNITS[at + 1];
  let whole = Math.floor(rest / size), part = Math.round((rest - whole * size) / below);
  if (part * below >= size) [whole, part] = [whole + 1, 0];
  return `${sign}${whole}${unit}${part ? ` ${part}${small}` : ""}`;
};

/** A time since t = 0 (s), down to the second. */
const moment = (seconds) => {
  if (Number.isNaN(seconds)) return "–";
  let rest = Math.round(Math.abs(seconds));
  const parts = UNITS.map(([size, unit]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return [count, unit];
  });
  const shown = parts.filter(([count]) => count);
  return `${seconds < 0 ? "-" : ""}${shown.length ? shown.map((part) => part.join("")).join(" ") : "0s"}`;
};

const THOUSANDS = /\B(?=(\d{3})+$)/g;
/** A number with separators of thousands; toLocaleString is too slow for axes that move. */
const count = (number) => {
  const rounded = Math.round(10 * number) / 10, whole = Math.trunc(rounded), rest = Math.abs(Math.round(10 * (rounded - whole)));
  return `${String(whole).replace(THOUSANDS, ",")}${rest ? `.${rest}` : ""}`;
};
const counted = (number, what) => `${count(number)} ${what}${number === 1 ? "" : "s"}`;

/** Power (W), in the unit that fits. */
const watts = (value) => {
  const [size, unit] = [[1e6, "MW"], [1e3, "kW"], [1, "W"]].find(([least]) => Math.abs(value) >= least) ?? [1, "W"];
  return `${digits(value / size)} ${unit}`;
};
/** A number in at most four digits. */
const digits = (number) => (Math.abs(number) >= 1000 ? count(number) : String(Number(number.toPrecision(4))));

/** The date of a time since t = 0 on the clock of the log; empty if it is not known. */
const dated = (seconds) => {
  if (content.unix_start === null || content.unix_start === undefined || Number.isNaN(seconds)) return "";
  const options = {dateStyle: "medium", timeStyle: "short", timeZone: content.zone ?? "UTC"};
  const date = new Date((content.unix_start + seconds) * 1000);
  try {
    return ` (${date.toLocaleString("en-GB", options)})`;
  } catch {
    return ` (${date.toLocaleString("en-GB", {...options, timeZone: "UTC"})} UTC)`;
  }
};

/** What axes say, which Bokeh asks for by this name. */
globalThis.thinktime = {
  timeTick: (tick) => moment(tick),
  countTick: (tick) => count(tick),
  powerTick: (tick) => watts(tick),
  signalTick: (tick) => digits(tick),
  laneTick: (tick) => laneLabel(tick),
};
