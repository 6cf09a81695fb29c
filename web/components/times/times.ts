type Instant = string | number | Date;

/** Instants as text, all in one zone. */
export interface Times {
  /** Its name: "Europe/Berlin", "UTC". */
  zone: string;
  /** All of it, with the zone: "21 Nov 2026, 08:40:12 UTC". */
  exact(at: Instant): string;
  /** When on its day: "08:40:12". */
  clock(at: Instant): string;
  /** The same with thousandths of a second, for logs. */
  preciseClock(at: Instant): string;
  /** "Today", "Yesterday", "Saturday 21 November 2026". */
  dayName(at: Instant): string;
  /** The day as a date field has it: "2026-11-21". */
  day(at: Instant): string;
  /** The first moment of such a day, or of one so many days `later`; undefined if there is no such day. */
  dayBegin(day: string, later?: number): Date | undefined;
  /** Within a sentence: of today the clock alone, otherwise with the date. */
  brief(at: Instant): string;
}

const known = new Map<string, Times>();

/** The zone is one that the browser knows. */
export function timesIn(zone: string): Times {
  const before = known.get(zone);
  if (before !== undefined) return before;
  const made = makeTimes(zone);
  known.set(zone, made);
  return made;
}

function makeTimes(zone: string): Times {
  const formatter = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone });
    return (at: Instant) => format.format(new Date(at));
  };
  const time = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
  const clock = formatter(time);
  const longDay = formatter({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
  const dateAndClock = formatter({ dateStyle: 'medium', timeStyle: 'medium' });
  const day = (at: Instant) => new Date(wallTime(new Date(at), zone)).toISOString().slice(0, 10);
  return {
    zone,
    exact: formatter({ dateStyle: 'medium', timeStyle: 'long' }),
    clock,
    preciseClock: formatter({ ...time, fractionalSecondDigits: 3 }),
    day,
    dayName: (at) => {
      const name = day(at);
      const today = day(Date.now());
      if (name === today) return 'Today';
      return name === dayBefore(today) ? 'Yesterday' : longDay(at);
    },
    dayBegin: (text, later = 0) => dayBegin(text, later, zone),
    brief: (at) => (day(at) === day(Date.now()) ? clock(at) : dateAndClock(at)),
  };
}

/** The reading of a clock in the zone, as if that clock showed UTC. */
function wallTime(at: Date, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at);
  const part = (name: Intl.DateTimeFormatPartTypes) => Number(parts.find(({ type }) => type === name)?.value);
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
}

function dayBegin(text: string, later: number, zone: string): Date | undefined {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (parts === null) return undefined;
  const [, year, month, date] = parts.map(Number);
  if (year === undefined || month === undefined || date === undefined || year < 1970) return undefined;
  const wall = Date.UTC(year, month - 1, date + later);
  let begin = wall;
  // Twice: the first guess may lie on the other side of a change of clocks.
  for (let guess = 0; guess < 2; guess += 1) begin = wall - (wallTime(new Date(begin), zone) - begin);
  return new Date(begin);
}

function dayBefore(day: string): string {
  return new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
}
