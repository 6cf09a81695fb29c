import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sweepGitDeliveries } from '../../db/git-connections/pushes/sweep-git-deliveries.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { type Pushed, pushOf, type WebhookGround, webhookGround } from '../../test/git/webhook-ground.ts';

let ground: WebhookGround;
let pushed: Pushed;
beforeAll(async () => {
  ground = await webhookGround();
});
afterAll(() => ground.close());
beforeEach(async () => {
  pushed = await ground.repository();
});

test('the same message again builds nothing, whatever its header says; nor do two at once', async () => {
  const first = await ground.send(pushOf(pushed), { 'x-github-delivery': 'one' });
  expect(first.body.builds).toHaveLength(1);
  await tenant(ground.api.database.kysely, ground.ours.organizationId)
    .updateTable('build')
    .set({ finished_at: new Date(), state: 'failed' })
    .execute();
  expect((await ground.send(pushOf(pushed), { 'x-github-delivery': 'two' })).body).toEqual({
    builds: [],
    ignored: 'this message was taken before',
  });
  const other = pushOf(pushed, { pushed_at: 2 });
  const both = await Promise.all([ground.send(other), ground.send(other), ground.send(other)]);
  expect(both.map(({ body }) => (body.builds as unknown[]).length).toSorted()).toEqual([0, 0, 1]);
  expect(await ground.buildsOf(pushed.place)).toHaveLength(2);
});

test('a month later a message is forgotten, and not before', async () => {
  await ground.send(pushOf(pushed));
  const { kysely } = ground.api.database;
  const rows = () => tenant(kysely, ground.ours.organizationId).selectFrom('git_delivery').select('name').execute();
  await sweepGitDeliveries(kysely);
  expect(await rows()).not.toEqual([]);
  await sql`/* across tenants */ update git_delivery set received_at = now() - interval '31 days'`.execute(kysely);
  await sweepGitDeliveries(kysely);
  expect(await rows()).toEqual([]);
});

test('a message whose transaction failed is not remembered: sent again, it builds, and then nothing more', async () => {
  const { kysely } = ground.api.database;
  const remembered = async () =>
    (await tenant(kysely, ground.ours.organizationId).selectFrom('git_delivery').select('name').execute()).length;
  const before = await remembered();
  const guid = { 'x-github-delivery': crypto.randomUUID() };
  await sql`create function refuse_build() returns trigger language plpgsql as
    $$ begin raise exception 'No build can be written.'; end $$`.execute(kysely);
  await sql`create trigger refuse_build before insert on build for each row execute function refuse_build()`.execute(
    kysely,
  );
  try {
    expect((await ground.send(pushOf(pushed), guid)).status).toBe(500);
  } finally {
    await sql`drop function refuse_build cascade`.execute(kysely);
  }
  expect(await remembered()).toBe(before);
  expect(await ground.buildsOf(pushed.place)).toEqual([]);
  const again = await ground.send(pushOf(pushed), guid);
  expect([again.status, again.body.builds]).toEqual([200, [expect.objectContaining({ environment: 'Staging' })]]);
  expect(await remembered()).toBe(before + 1);
  expect((await ground.send(pushOf(pushed), guid)).body).toEqual({
    builds: [],
    ignored: 'this message was taken before',
  });
  expect(await ground.buildsOf(pushed.place)).toHaveLength(1);
});
