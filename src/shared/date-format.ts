// Date formats of `--log-date-format`: the common tokens of moment.js, in local time and English. Pure.

const monthNames = 'January February March April May June July August September October November December'.split(' ');
const dayNames = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** The format of `--time`: ISO 8601 with milliseconds and the local offset from UTC. */
export const isoFormat = 'YYYY-MM-DDTHH:mm:ss.SSSZ';

type Render = (date: Date) => string;

const tokens: Record<string, Render> = {
  YYYY: (date) => padded(date.getFullYear(), 4),
  YY: (date) => padded(date.getFullYear() % 100, 2),
  MMMM: (date) => monthNames[date.getMonth()]!,
  MMM: (date) => monthNames[date.getMonth()]!.slice(0, 3),
  MM: (date) => padded(date.getMonth() + 1, 2),
  M: (date) => String(date.getMonth() + 1),
  DD: (date) => padded(date.getDate(), 2),
  D: (date) => String(date.getDate()),
  Do: (date) => ordinal(date.getDate()),
  dddd: (date) => dayNames[date.getDay()]!,
  ddd: (date) => dayNames[date.getDay()]!.slice(0, 3),
  dd: (date) => dayNames[date.getDay()]!.slice(0, 2),
  d: (date) => String(date.getDay()),
  HH: (date) => padded(date.getHours(), 2),
  H: (date) => String(date.getHours()),
  hh: (date) => padded(halfDayHour(date), 2),
  h: (date) => String(halfDayHour(date)),
  mm: (date) => padded(date.getMinutes(), 2),
  m: (date) => String(date.getMinutes()),
  ss: (date) => padded(date.getSeconds(), 2),
  s: (date) => String(date.getSeconds()),
  SSS: (date) => padded(date.getMilliseconds(), 3),
  SS: (date) => padded(date.getMilliseconds(), 3).slice(0, 2),
  S: (date) => padded(date.getMilliseconds(), 3).slice(0, 1),
  A: (date) => (date.getHours() < 12 ? 'AM' : 'PM'),
  a: (date) => (date.getHours() < 12 ? 'am' : 'pm'),
  Z: (date) => offset(date, ':'),
  ZZ: (date) => offset(date, ''),
  X: (date) => String(Math.floor(date.getTime() / 1_000)),
  x: (date) => String(date.getTime()),
  // Not a moment.js token: the separator between date and time.
  T: () => 'T',
};

/** Text in brackets is literal, a run of one letter is a token, and everything else stands for itself. */
const pattern = /\[(?<quoted>[^\]]*)\]|(?<token>Do|([A-Za-z])\3*)|./gs;

/** The unknown tokens, in order of appearance; empty if the format is valid. */
export function unknownTokens(format: string): string[] {
  const found = [...format.matchAll(pattern)].flatMap(({ groups }) => groups?.token ?? []);
  return [...new Set(found.filter((token) => !Object.hasOwn(tokens, token)))];
}

/** Returns a function that renders a time in milliseconds since 1970. Unknown tokens stand for themselves. */
export function dateFormatter(format: string): (time: number) => string {
  const parts = [...format.matchAll(pattern)].map(([text, quoted, token]): Render => {
    const known = token !== undefined && Object.hasOwn(tokens, token) ? tokens[token] : undefined;
    return known ?? (() => quoted ?? text);
  });
  return (time) => {
    const date = new Date(time);
    return parts.map((part) => part(date)).join('');
  };
}

function padded(value: number, length: number): string {
  return String(value).padStart(length, '0');
}

function ordinal(value: number): string {
  const isTeen = value % 100 >= 11 && value % 100 <= 13;
  return `${value}${(!isTeen && ['th', 'st', 'nd', 'rd'][value % 10]) || 'th'}`;
}

function halfDayHour(date: Date): number {
  return date.getHours() % 12 || 12;
}

function offset(date: Date, colon: string): string {
  const minutes = -date.getTimezoneOffset();
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${padded(Math.floor(size / 60), 2)}${colon}${padded(size % 60, 2)}`;
}
