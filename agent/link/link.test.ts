import { expect, test } from 'vitest';
import type { Observed } from '../../protocol/observed.ts';
import { controlPlaneAddress } from './address.ts';
import { failureOf } from './link-failure.ts';
import { readWork } from './read-work.ts';
import { Reporter } from './reporter.ts';

const slice = (key: string, memoryBytes: number, error?: string): Observed['slices'][number] => ({
  key,
  appliedRevision: 1,
  ...(error === undefined ? {} : { error }),
  instances: [{ id: `${key}-1`, process: 'web', release: 'one', node: 'here', state: 'ready', run: 1, memoryBytes }],
  volumes: [],
  traffic: [],
});

test('reports are full first, then what changed, and the same until acknowledged', () => {
  const reporter = new Reporter();
  const one: Observed = { appliedRevision: 1, slices: [slice('a', 1), slice('b', 1)] };
  const first = reporter.next(one, false);
  expect(first).toMatchObject({ number: 1, full: true, removed: [] });
  const two: Observed = { appliedRevision: 2, slices: [slice('a', 2, 'It fails.')] };
  expect(reporter.next(two, false)).toBe(first);
  reporter.acknowledged();
  const second = reporter.next(two, false);
  expect(second).toMatchObject({ number: 2, full: false, appliedRevision: 2, removed: ['b'] });
  expect(second?.slices.map(({ key }) => key)).toEqual(['a']);
  reporter.acknowledged();
  expect(reporter.next(two, true)).toBeUndefined();
});

test('a report that is refused is made anew of what is seen then, and is no obstacle for ever', () => {
  const reporter = new Reporter();
  reporter.next({ appliedRevision: 1, slices: [slice('a', 1), slice('b', 1, 'x'.repeat(9000))] }, false);
  reporter.refused();
  const next = reporter.next({ appliedRevision: 1, slices: [slice('a', 1)] }, false);
  expect(next).toMatchObject({ number: 1, full: true });
  expect(next?.slices.map(({ key }) => key)).toEqual(['a']);
});

test('measurements alone are reported only when it is their turn, and then with their newest value', () => {
  const reporter = new Reporter();
  reporter.next({ appliedRevision: 1, slices: [slice('a', 1)] }, false);
  reporter.acknowledged();
  const changed: Observed = { appliedRevision: 1, slices: [slice('a', 2)] };
  expect(reporter.next(changed, false)).toBeUndefined();
  expect(reporter.next(changed, true)?.slices).toEqual(changed.slices);
});

test('what is not understood stops nothing else, and no value of it is told', () => {
  const id = '0b0e3c1e-6f5a-4a7e-9d59-3a5a4f6f7a01';
  const workload = { release: 'one', image: { layout: '/x' }, processes: [] };
  const { desired, commands, strange } = readWork(
    JSON.stringify({
      desired: {
        revision: 3,
        slices: [
          { key: 'good', revision: 1, workload },
          { key: 'bad', revision: 2, workload: { ...workload, environment: { 'not a name': 'hunter2' } } },
        ],
        broken: [],
        removed: [],
        later: true,
      },
      commands: [{ id, attempt: 2, body: { kind: 'dance' } }],
      cancelled: [],
    }),
  );
  expect(desired?.slices.map(({ key }) => key)).toEqual(['good']);
  expect(desired?.broken).toMatchObject([{ key: 'bad', revision: 2 }]);
  expect(JSON.stringify(desired?.broken)).not.toContain('hunter2');
  expect({ commands, strange }).toEqual({ commands: [], strange: [{ id, attempt: 2 }] });
});

test('only a problem is believed to be an answer of the control plane', () => {
  expect(failureOf(410, 'text/html', '<html>').kind).toBe('unreachable');
  expect(failureOf(410, 'application/problem+json', '{"detail":"Gone."}').kind).toBe('cluster-deleted');
  expect(failureOf(422, 'application/problem+json', '{"detail":"No."}').kind).toBe('refused');
  expect(failureOf(503, 'application/problem+json', '{"detail":"Later."}', '7').retryAfterMillis).toBe(7000);
});

test.each(['http://example.com', 'ftp://localhost', 'https://user@example.com', 'https://example.com/?a', 'x'])(
  'a credential is not sent to %s',
  (url) => expect(() => controlPlaneAddress(url)).toThrow(),
);
