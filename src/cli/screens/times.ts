const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** A length of time for people: `4 ms`, `1.3 s`, `30 s`, `3 min 20 s`, `12 min`, `3 h 5 min`, `6 d 23 h`. */
export function span(ms: number): string {
  const rounded = Math.max(0, ms);
  if (rounded < 1_000) return `${Math.round(rounded)} ms`;
  if (rounded < 9_950) return `${(Math.round(rounded / 100) / 10).toString()} s`;
  if (rounded < MINUTE_MS - 500) return `${Math.round(rounded / 1_000)} s`;
  if (rounded < 10 * MINUTE_MS) return two(Math.round(rounded / 1_000), 60, 'min', 's');
  if (rounded < HOUR_MS - MINUTE_MS / 2) return `${Math.round(rounded / MINUTE_MS)} min`;
  if (rounded < DAY_MS - MINUTE_MS / 2) return two(Math.round(rounded / MINUTE_MS), 60, 'h', 'min');
  return two(Math.round(rounded / HOUR_MS), 24, 'd', 'h');
}

/** How long ago, in one unit: `4 s ago`, `12 min ago`, `3 h ago`, `6 d ago`. */
export function ago(at: number, now: number): string {
  const ms = Math.max(0, now - at);
  if (ms < 1_000) return 'just now';
  if (ms < MINUTE_MS) return `${Math.floor(ms / 1_000)} s ago`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min ago`;
  return ms < DAY_MS ? `${Math.floor(ms / HOUR_MS)} h ago` : `${Math.floor(ms / DAY_MS)} d ago`;
}

/** The local time of day; with the date when that is not today's: `10:02:14`, `Nov 29 10:02`, `2025 Nov 29`. */
export function clock(at: number, now: number): string {
  const [then, today] = [new Date(at), new Date(now)];
  const time = [then.getHours(), then.getMinutes(), then.getSeconds()].map((part) => String(part).padStart(2, '0'));
  if (then.toDateString() === today.toDateString()) return time.join(':');
  const day = `${MONTHS[then.getMonth()]} ${then.getDate()}`;
  return then.getFullYear() === today.getFullYear() ? `${day} ${time[0]}:${time[1]}` : `${then.getFullYear()} ${day}`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function two(count: number, perBig: number, big: string, small: string): string {
  const rest = count % perBig;
  return `${Math.floor(count / perBig)} ${big}${rest === 0 ? '' : ` ${rest} ${small}`}`;
}
