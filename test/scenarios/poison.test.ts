import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteOrganization as commitDeletion } from '../../db/deletions/deletions.ts';
import { effect } from '../../db/engine/effect.ts';
import type { Database } from '../../db/postgres/database.ts';
import type { JsonObject } from '../../db/postgres/json.ts';
import { Installation } from '../installation/installation.ts';
import { metricsToken } from '../installation/metrics-token.ts';
import { deleteOrganization, ended, purgeNow, toldEverything } from '../seeds/deletion.ts';
import { machine } from '../seeds/seed.ts';

let installation: Installation;
let database: Database;

beforeAll(async () => {
  installation = await Installation.start('poison');
  database = await installation.database();
});
afterAll(() => installation?.remove());

/** An entry that was tried nine times in vain: the next failure makes it a poisoned one. */
async function entry(actorId: string, organizationId: string, body: JsonObject): Promise<void> {
  await database.kysely
    .insertInto('outbox')
    .values({
      actor_id: actorId,
      organization_id: organizationId,
      kind: 'message',
      message: 'purgeNow',
      body,
      author: { kind: 'machine', id: 'test', name: 'test' },
      attempts: 9,
    })
    .execute();
}

/** Committed by a process that tells nobody, as if it had died just then: the relay alone is left to deliver it. */
async function deletedAndPurgedByTheRelay(): Promise<void> {
  const { kysely } = database;
  const { id } = await installation.organization();
  await kysely.updateTable('organization').set({ deleted_retention_hours: 0 }).where('id', '=', id).execute();
  const deletion = await effect(database, machine, (running) => commitDeletion(running, id));
  await installation.until('the relay has delivered it', async () => {
    const row = await kysely
      .selectFrom('deletion')
      .select('state')
      .where('id', '=', deletion?.deletionId ?? '')
      .execute();
    return row[0]?.state === 'purged';
  });
}

async function poisoned(): Promise<string[]> {
  return ((await installation.readiness())?.poisoned ?? []).map(({ actorId }) => actorId);
}

test('poisoned entries are named in /readyz and /metrics and delay nobody else', async () => {
  const [blocked, other] = await Promise.all([installation.organization(), installation.organization()]);
  const deletion = await deleteOrganization(installation, blocked);
  await toldEverything(installation, deletion.actor);

  // Of an actor that no version knows, and of one that is alive and cannot take what it is told: it is too large.
  const unknown = `teleport/${uuid()}`;
  await entry(unknown, blocked.id, {});
  await entry(deletion.actor, blocked.id, { ballast: 'x'.repeat(6_000_000) });
  await installation.until('both are named', async () => {
    const named = await poisoned();
    return named.includes(unknown) && named.includes(deletion.actor);
  });

  // The entry is reported and blocks nothing else: the installation is ready, and other actors begin and end.
  const readiness = await installation.readiness();
  expect(readiness?.ready).toBe(true);
  expect(readiness?.parts.outbox?.detail).toContain('2 entries cannot be delivered');
  const { text } = await installation.call('GET', '/metrics', {
    headers: { authorization: metricsToken(installation.home) },
  });
  expect(text).toMatch(/^ballast_outbox_poisoned 2$/m);
  const since = performance.now();
  const unhindered = await deleteOrganization(installation, other);
  await purgeNow(installation, unhindered);
  expect((await ended(installation, unhindered)).state).toBe('purged');
  await deletedAndPurgedByTheRelay();
  expect(performance.now() - since).toBeLessThan(10_000);

  // The owner of the blocked one sees why it does not move; what comes after the poison waits behind it, in order.
  await purgeNow(installation, deletion);
  const as = blocked.owner;
  const { body } = await installation.call('GET', '/api/v1/deleted-organizations', { as, organization: '' });
  expect(body.items).toMatchObject([
    { state: 'retained', blocker: expect.stringMatching(/^Messages cannot be delivered/) },
  ]);
  expect(await poisoned()).toContain(deletion.actor);

  // An operator takes the poison away: what waited is told.
  await database.kysely.deleteFrom('outbox').where('attempts', '>=', 9).execute();
  const row = await ended(installation, deletion);
  expect(row).toMatchObject({ state: 'purged', blocker: null });
  await installation.until('nothing is poisoned any more', async () => (await poisoned()).length === 0);
});
