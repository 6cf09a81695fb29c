import type { IncomingHttpHeaders } from 'node:http';

const longest = 86_400;
const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [\w :-]*\d\d:\d\d:\d\d(?: GMT| \d{4})$/;

/** In how many seconds the other side wants to be asked again, if it says so in a way that can be understood; a day at most. */
export function retryAfterOf({ 'retry-after': said }: IncomingHttpHeaders, now = Date.now()): number | undefined {
  const seconds = said === undefined ? Number.NaN : secondsIn(said.trim(), now);
  return seconds >= 0 ? Math.min(seconds, longest) : undefined;
}

function secondsIn(said: string, now: number): number {
  if (/^\d+$/.test(said)) return Number(said);
  // Date.parse understands much that is no date of HTTP: Dec 2030 is a day, and -1 one in 2001.
  if (!httpDate.test(said)) return Number.NaN;
  return Math.ceil((Date.parse(said.endsWith('GMT') ? said : `${said} GMT`) - now) / 1000);
}
