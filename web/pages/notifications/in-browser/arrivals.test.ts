import { expect, test } from 'vitest';
import type { Notification } from '../notification-words.tsx';
import { Arrivals, mostAtOnce, showingsOf } from './arrivals.ts';

const notification = (id: string, readAt?: string): Notification => ({
  id,
  kind: 'warning',
  title: `Cluster ${id} lost contact with its agent`,
  body: 'Its instances run on.',
  link: { type: 'cluster', clusterId: id },
  createdAt: '2026-11-22T12:00:00.000Z',
  ...(readAt === undefined ? {} : { readAt }),
});
const ids = (some: readonly Notification[]) => some.map(({ id }) => id);

test('what was there before is not new, whether it was read or not, and nothing is new twice', () => {
  const arrivals = new Arrivals();
  expect(arrivals.look([notification('b'), notification('a', 'read')])).toEqual([]);
  expect(ids(arrivals.look([notification('d'), notification('c'), notification('b')]))).toEqual(['c', 'd']);
  expect(arrivals.look([notification('d'), notification('c'), notification('b')])).toEqual([]);
});

test('what was read elsewhere before it was seen here is not shown', () => {
  const arrivals = new Arrivals();
  arrivals.look([]);
  expect(ids(arrivals.look([notification('b', 'read'), notification('a')]))).toEqual(['a']);
});

test('what arrives out of order is new although it is not the newest, and what left the inbox stays known', () => {
  const arrivals = new Arrivals();
  arrivals.look([notification('a')]);
  arrivals.look([notification('c')]);
  expect(ids(arrivals.look([notification('c'), notification('b'), notification('a')]))).toEqual(['b']);
});

test('a few are shown one by one, each under its own tag; many are one that leads to the inbox', () => {
  const some = Array.from({ length: mostAtOnce }, (_, number) => notification(String(number)));
  expect(showingsOf(some).map(({ tag, title, body }) => ({ tag, title, body }))).toEqual(
    some.map(({ id, title, body }) => ({ tag: id, title, body })),
  );
  const [many, ...others] = showingsOf([...some, notification('last')]);
  expect(others).toEqual([]);
  expect(many).toMatchObject({ title: '4 new notifications' });
  expect(many?.about).toBeUndefined();
  expect(many?.body.split('\n')).toEqual([
    ...['1', '2', 'last'].map((id) => `Cluster ${id} lost contact with its agent`),
    'and 1 more',
  ]);
  expect(showingsOf([])).toEqual([]);
});
