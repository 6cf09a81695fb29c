import { keep, kept } from '../browser/kept.ts';
import { watched } from '../watched.ts';
import { type Times, timesIn } from './times.ts';

/** Every time in the console is in one zone: that of the browser, or UTC as the reader chooses. */
export type ZoneChoice = 'local' | 'utc';

const key = 'ballast.times';
const read = (): ZoneChoice => (kept(key) === 'utc' ? 'utc' : 'local');
const chosen = watched(read());
export const useZoneChoice = chosen.use;

export function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export function chooseZone(choice: ZoneChoice): void {
  keep(key, choice === 'local' ? undefined : choice);
  chosen.set(choice);
}

// Other tabs follow.
globalThis.addEventListener?.('storage', (event) => {
  if (event.key === key || event.key === null) chosen.set(read());
});

/** Instants as text in the zone that the reader chose. */
export function useTimes(): Times {
  return timesIn(useZoneChoice() === 'utc' ? 'UTC' : localZone());
}
