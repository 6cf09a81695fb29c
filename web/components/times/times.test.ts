import { describe, expect, test } from 'vitest';
import { byDay } from './days.tsx';
import { timesIn } from './times.ts';
import { instantsIn } from './with-times.tsx';

const tokyo = timesIn('Asia/Tokyo');
const berlin = timesIn('Europe/Berlin');
const utc = timesIn('UTC');

describe('the same instant', () => {
  const at = '2026-03-28T23:30:05.250Z';

  test('is read in each zone by one clock', () => {
    expect([tokyo, berlin, utc].map(({ clock }) => clock(at))).toEqual(['08:30:05', '00:30:05', '23:30:05']);
    expect([tokyo, berlin, utc].map(({ day }) => day(at))).toEqual(['2026-03-29', '2026-03-29', '2026-03-28']);
    expect(tokyo.exact(at)).toBe('29 Mar 2026, 08:30:05 GMT+9');
    expect(utc.exact(at)).toBe('28 Mar 2026, 23:30:05 UTC');
    expect(utc.preciseClock(at)).toBe('23:30:05.250');
  });

  test('stands under the day of its zone', () => {
    const items = [{ at: '2026-03-28T16:00:00Z' }, { at: '2026-03-28T14:00:00Z' }];
    expect(byDay(items, utc.dayName).map(([name]) => name)).toEqual([
      expect.stringMatching(/^Saturday,? 28 March 2026$/),
    ]);
    expect(byDay(items, tokyo.dayName).map(([name]) => name)).toEqual([
      expect.stringMatching(/^Sunday,? 29/),
      expect.stringMatching(/^Saturday,? 28/),
    ]);
  });
});

test('a day begins where its zone says, on days that are longer or shorter, too', () => {
  const begins = (zone: typeof utc, day: string, later?: number) => zone.dayBegin(day, later)?.toISOString();
  expect(begins(utc, '2026-03-28')).toBe('2026-03-28T00:00:00.000Z');
  expect(begins(tokyo, '2026-03-28')).toBe('2026-03-27T15:00:00.000Z');
  // The clocks of Berlin go forward in the night of the 29th.
  expect(begins(berlin, '2026-03-29')).toBe('2026-03-28T23:00:00.000Z');
  expect(begins(berlin, '2026-03-29', 1)).toBe('2026-03-29T22:00:00.000Z');
  expect(begins(utc, '2026-02-28', 1)).toBe('2026-03-01T00:00:00.000Z');
  for (const nothing of ['yesterday', '0000-00-00', '2026-3-1', '']) expect(begins(utc, nothing)).toBeUndefined();
});

test('today and yesterday are those of the zone', () => {
  const now = Date.now();
  for (const zone of [tokyo, utc]) {
    const midnight = zone.dayBegin(zone.day(now))?.getTime() ?? 0;
    expect(zone.dayName(midnight)).toBe('Today');
    expect(zone.dayName(midnight - 1)).toBe('Yesterday');
    expect(zone.dayName(zone.dayBegin(zone.day(now), -2) ?? 0)).toMatch(/day,? \d/);
  }
});

test('instants are found in sentences, in both forms that the control plane writes', () => {
  const text = 'It ended at 2026-11-21T08:40:12.123Z. Retried until 2026-11-21 09:00 UTC; release 2026-11-21 stays.';
  expect(instantsIn(text).filter(({ at }) => at !== undefined)).toMatchObject([
    { at: '2026-11-21T08:40:12.123Z' },
    { at: '2026-11-21T09:00:00.000Z' },
  ]);
  expect(
    instantsIn(text)
      .map((part) => part.text)
      .join(''),
  ).toBe(text);
  expect(instantsIn('at 2026-99-99T08:40:12Z')).toEqual([{ from: 0, text: 'at 2026-99-99T08:40:12Z' }]);
  expect(instantsIn('')).toEqual([]);
});
