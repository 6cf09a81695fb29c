import { afterAll, expect, test } from 'vitest';
import { effect } from '../../db/engine/effect.ts';
import { ownerExists } from '../../db/sign-in/sign-in-links.ts';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { lockWaiters } from '../../test/ground/lock-waiters.ts';
import { until } from '../../test/ground/until.ts';
import { machine, seedUser } from '../../test/seeds/seed.ts';
import { becomeFirstOwner } from './admit-person.ts';

const fresh = await freshDatabase();
afterAll(() => fresh.drop());

test('of two people who use their links at the same moment one becomes the first owner', async () => {
  const { database } = fresh;
  const [ada, bob] = [await seedUser(database), await seedUser(database)];
  let second: Promise<void> = Promise.resolve();
  await effect(database, machine, async (running) => {
    await becomeFirstOwner(running, ada);
    second = effect(database, machine, (other) => becomeFirstOwner(other, bob));
    second.catch(() => undefined);
    await until('the second one waits for the first', async () => (await lockWaiters(database)) === 1);
  });
  await expect(second).rejects.toThrow('became the owner of this installation before you');
  expect(await ownerExists(database.kysely)).toBe(true);
  expect(await database.kysely.selectFrom('membership').select('user_id').execute()).toEqual([{ user_id: ada }]);
});
