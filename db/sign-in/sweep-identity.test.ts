import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { seedUser } from '../../test/seeds/seed.ts';
import { hashSecret } from '../keys/secrets.ts';
import { sweepIdentity } from './sweep-identity.ts';

const fresh = await freshDatabase();
afterAll(() => fresh.drop());

test('what has expired goes, the rest stays, and a link outlives the sign-in that it began', async () => {
  const { kysely } = fresh.database;
  const left: Record<string, string> = {};
  const userId = await seedUser(fresh.database);
  const session = async (ended: string | null, expires: string) => {
    const at = (age: string) => sql<Date>`now() + ${age}::interval`;
    await kysely
      .insertInto('session')
      .values({
        id: uuid(),
        secret_hash: hashSecret(uuid()),
        user_id: userId,
        ended_at: ended === null ? null : at(ended),
        expires_at: at(expires),
      })
      .execute();
  };
  await session(null, '1 day');
  await session('-1 day', '1 day');
  await session('-31 days', '1 day');
  for (const [what, age] of Object.entries({ current: '-1 minute', expired: '1 minute', 'long expired': '2 days' })) {
    const expires_at = sql<Date>`now() - ${age}::interval`;
    const hash = hashSecret(what);
    const link = uuid();
    left[what] = link;
    const createdBy = 'test';
    await kysely
      .insertInto('sign_in_link')
      .values({ id: link, kind: 'first-owner', secret_hash: hash, created_by: createdBy, expires_at })
      .execute();
    await kysely
      .insertInto('sign_in_attempt')
      .values({
        id: uuid(),
        browser_hash: hash,
        state_hash: hash,
        return_to: '/',
        sign_in_link_id: link,
        expires_at,
      })
      .execute();
    await kysely.insertInto('exchanged_token').values({ hash, expires_at }).execute();
    await kysely
      .insertInto('provider_record')
      .values({ model: 'Session', id_hash: hash, payload: Buffer.of(1), expires_at })
      .execute();
  }
  expect(await sweepIdentity(kysely)).toEqual({
    provider_record: 2,
    sign_in_attempt: 2,
    exchanged_token: 2,
    sign_in_link: 1,
    session: 1,
  });
  const links = await kysely.selectFrom('sign_in_link').select('id').orderBy('id').execute();
  expect(links.map(({ id }) => id)).toEqual([left.current, left.expired].toSorted());
  expect(await sweepIdentity(kysely)).toEqual({
    provider_record: 0,
    sign_in_attempt: 0,
    exchanged_token: 0,
    sign_in_link: 0,
    session: 0,
  });
});
