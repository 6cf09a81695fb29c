const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const calendar = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

/** In words, from now: "3 minutes ago", "in 2 days". Older than a month: still in days, the date is on hover. */
export function relativeTime(milliseconds: number): string {
  for (const [unit, size] of units) {
    if (Math.abs(milliseconds) < size) continue;
    // Future times are rounded: a thing created a moment ago for 30 days ends in 30 days, not in 29.
    return relative.format(milliseconds > 0 ? Math.round(milliseconds / size) : Math.trunc(milliseconds / size), unit);
  }
  return milliseconds > 0 ? 'in a moment' : 'just now';
}

/** How long something is kept: "7 days", "1 day 12 hours", "5 minutes". */
export function periodText(milliseconds: number): string {
  let rest = milliseconds;
  const parts = units.flatMap(([unit, size]) => {
    const number = Math.floor(rest / size);
    rest -= number * size;
    return number === 0 ? [] : [`${number} ${unit}${number === 1 ? '' : 's'}`];
  });
  return parts.join(' ') || 'no time';
}

/** A day of the calendar, which is the same everywhere: "23 Nov 2026" of 2026-11-23. */
export function dateText(date: string): string {
  return calendar.format(Date.parse(`${date}T00:00:00Z`));
}

/** How long something took: "0.4 s", "12 s", "3 min 20 s", "2 h 5 min", "4 d 2 h". */
export function durationText(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 9_950) return `${(milliseconds / 1_000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const steps: [string, number][] = [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
    ['s', 1],
  ];
  const first = steps.findIndex(([, size]) => seconds >= size);
  const [one, two] = steps.slice(first, first + 2);
  if (one === undefined || two === undefined) return `${seconds} s`;
  const rest = Math.floor((seconds % one[1]) / two[1]);
  return `${Math.floor(seconds / one[1])} ${one[0]}${rest === 0 ? '' : ` ${rest} ${two[0]}`}`;
}
