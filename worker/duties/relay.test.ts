import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { actorsGround, deletedOrganization } from '../../test/actors/actors.ts';
import { until } from '../../test/ground/until.ts';
import { startRelay } from './relay.ts';

const ground = await actorsGround();
afterAll(() => ground.close());

/** Entries that nobody has tried: whoever committed them died. */
async function tellFromElsewhere(actor: string, organizationId: string, count: number): Promise<void> {
  await sql`
    insert into outbox (actor_id, organization_id, kind, message, body, author)
    select ${actor}, ${organizationId}, 'message', 'm', '{}', '{}' from generate_series(1, ${count}) n
  `.execute(ground.database.kysely);
}

async function waiting(actor: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from outbox where actor_id = ${actor}
  `.execute(ground.database.kysely);
  return rows[0]?.count ?? 0;
}

test('with a thousand entries behind one blocked actor another one is told', async () => {
  const { database, delivery, log } = ground;
  const blocked = await deletedOrganization(database);
  const other = await deletedOrganization(database);
  // The start is lost, so that no message can be delivered.
  await database.kysely.deleteFrom('outbox').where('actor_id', '=', blocked.actor).execute();
  await tellFromElsewhere(blocked.actor, blocked.organizationId, 1_000);
  const relay = startRelay({ database, delivery, log, milliseconds: 20 });
  try {
    await until('the other actor is started', async () => (await waiting(other.actor)) === 0);
    await tellFromElsewhere(other.actor, other.organizationId, 1);
    await until('the other actor is told', async () => (await waiting(other.actor)) === 0);
    expect(await waiting(blocked.actor)).toBe(1_000);
  } finally {
    await relay.stop();
  }
});

test('an actor with much to be told does not keep another one waiting until it has heard all of it', async () => {
  const { database, delivery } = ground;
  await database.kysely.deleteFrom('outbox').execute();
  const busy = await deletedOrganization(database);
  await tellFromElsewhere(busy.actor, busy.organizationId, 120);
  const other = await deletedOrganization(database);
  const round = await delivery.deliverDue(100);
  expect(round).toMatchObject({ told: 2, more: true });
  expect(await waiting(other.actor)).toBe(0);
  expect(await waiting(busy.actor)).toBe(21);
  expect(await delivery.deliverDue(100)).toMatchObject({ told: 1, more: false });
  expect(await waiting(busy.actor)).toBe(0);
});
