import { afterAll, expect, test } from 'vitest';
import { pokeReaders } from '../../db/engine/feed/poke-readers.ts';
import { until } from '../../test/ground/until.ts';
import { burst } from '../../test/inboxes/burst.ts';
import { LiveInbox } from '../../test/inboxes/live-inbox.ts';
import { wrongInboxes } from '../../test/inboxes/wrong-inboxes.ts';
import { headersOf, runningApi, seedSession } from '../../test/installation/running-api.ts';
import { seedOrganization } from '../../test/seeds/seed.ts';
import { specifiedClocks } from '../engine/streams/clocks.ts';

const admins = 3;
const members = 12;
const events = 300;
const api = await runningApi({ clocks: { ...specifiedClocks, hintPace: 300 } });
const twin = await api.twin();
afterAll(async () => {
  await twin.close();
  await api.close();
});

test('after a burst of events every member has exactly what concerns them, and sees it by the hints alone', async () => {
  const organizationId = await seedOrganization(api.database);
  const sessions = await Promise.all(
    Array.from({ length: members }, (_, number) =>
      seedSession(api.database, organizationId, number < admins ? 'admin' : 'deployer'),
    ),
  );
  const ids = sessions.map(({ userId }) => userId);
  // Their streams are open in two processes.
  const live = new Map(
    sessions.map((as, number) => [
      as.userId,
      new LiveInbox((number % 2 === 0 ? api : twin).url, headersOf('GET', { as })),
    ]),
  );
  const stopPoking = pokeReaders(api.database);
  try {
    await until('all are open', async () => [...live.values()].every(({ unreadCount }) => unreadCount === 0));
    const people = { organizationId, admins: ids.slice(0, admins), others: ids.slice(admins) };
    const inboxes = await burst(api.database, people, { events, writers: 4 });
    const seenBy = (id: string) => {
      const one = live.get(id);
      return one && { unreadCount: one.unreadCount, newest: one.newest.map((entry) => entry.id) };
    };
    const failures = () => [...live.values()].flatMap(({ failure }) => (failure === undefined ? [] : [failure]));
    await until('everybody sees all', async () => {
      expect(failures()).toEqual([]);
      return [...inboxes].every(([id, expected]) => seenBy(id)?.unreadCount === expected.size);
    });
    expect(await wrongInboxes(api.database, organizationId, inboxes, seenBy)).toEqual([]);
  } finally {
    stopPoking();
    for (const one of live.values()) one.close();
  }
});
