import { expect, test } from 'vitest';
import { timesIn } from '../../../components/times/times.ts';
import { queryOf } from './filter.ts';

test('the address becomes what is asked for; "failed today" begins with the day of the reader', () => {
  const times = timesIn('Asia/Tokyo');
  expect(queryOf({}, times)).toEqual({ lives: 'once' });
  const about = '01a20360-0581-707b-9a26-735798d0eddf';
  expect(queryOf({ lives: 'for-ever', view: 'stuck', kind: 'cluster', about, by: 'u' }, times)).toEqual({
    ...{ lives: 'for-ever', stuck: true, kind: 'cluster', subjectId: about, requestedBy: 'u' },
  });
  expect(queryOf({ q: 'update berlin' }, times)).toEqual({ lives: 'once', q: 'update berlin' });
  expect(queryOf({ from: '2026-11-20', until: '2026-11-21' }, times)).toEqual({
    ...{ lives: 'once', from: '2026-11-19T15:00:00.000Z', until: '2026-11-21T15:00:00.000Z' },
  });
  expect(queryOf({ view: 'failed-today' }, times)).toEqual({
    ...{ lives: 'once', outcome: 'failed', from: times.dayBegin(times.day(Date.now()))?.toISOString() },
  });
  // Nonsense narrows nothing and is not sent.
  expect(queryOf({ kind: 'ship', about: 'x', from: 'y' }, times)).toEqual({ lives: 'once' });
});
