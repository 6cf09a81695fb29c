import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { askAgent, lockBuild } from '../../db/builds/claim.ts';
import { effect } from '../../db/engine/effect.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { commandBody } from '../../protocol/command.ts';
import { PeerAgent } from '../../test/agents/peer-agent.ts';
import { seedSource } from '../../test/builds/seed-source.ts';
import { referencesGround } from '../../test/references/references-ground.ts';
import { machine } from '../../test/seeds/seed.ts';

const { at, api, db, add, set } = referencesGround();
const { call, stage, apply } = at;

/** A cluster for the environment, whose agent takes what it is asked. */
async function cluster() {
  const made = await call('POST', '/clusters', { name: `C ${crypto.randomUUID()}` }, at.ours.sessions.admin);
  const { cluster: found, token } = made.body as { cluster: { id: string }; token: string };
  const agent = new PeerAgent(at.api.url);
  await agent.join(token);
  await tenant(at.api.database.kysely, at.ours.organizationId)
    .updateTable('environment')
    .set({ cluster_id: found.id })
    .where('id', '=', at.staging)
    .execute();
  const ask = async () => {
    const { organizationId } = at.ours;
    const place = { organizationId, projectId: at.projectId, serviceId: api.serviceId };
    const sourceId = await seedSource(at.api.database, place);
    const body = { environmentId: at.staging, sourceId };
    const { id } = (await call('POST', `/services/${api.serviceId}/builds`, body)).body as { id: string };
    await effect(at.api.database, machine, async (asking) => {
      const build = await lockBuild(asking, id);
      if (build !== undefined) await askAgent(asking, at.api.keyring, build);
    });
    const { commands } = await agent.work(0);
    const parsed = commandBody.parse(commands.find((one) => one.id === id)?.body);
    if (parsed.kind !== 'build') throw new Error('It is another command.');
    const { body: log } = await call('GET', `/builds/${id}/logs`);
    const { variables, secrets, masked } = parsed;
    const lines = (log.items as { text: string }[]).map(({ text }) => text);
    return { id, given: { variables, secrets, masked }, lines };
  };
  return { id: found.id, ask };
}

test('a build is given the variables that are applied, with references put in, and nothing that is staged', async () => {
  const { id: clusterId, ask } = await cluster();
  await stage(
    at.staging,
    ...[add(api), add(db), set(db, 'PASS', 's3cr3t-of-build', { secret: true }), set(db, 'GONE', 'x')],
    ...[
      set(api, 'URL', 'postgres://u:${{db.PASS}}@${{db.HOST}}/x'),
      set(api, 'PLAIN', 'one'),
      set(api, 'PATH', '/app/bin'),
    ],
    set(api, 'LEADS', 'to ${{db.GONE}}'),
  );
  await apply(at.staging);
  await stage(at.staging, set(api, 'PLAIN', 'staged'), set(api, 'NEW', 'staged'));
  // Somebody's row is gone: no operation leaves it so.
  await tenant(at.api.database.kysely, at.ours.organizationId)
    .deleteFrom('variable')
    .where('service_id', '=', db.serviceId)
    .where('key', '=', 'GONE')
    .execute();
  const { id, given, lines } = await ask();
  expect(given).toEqual({
    variables: { PLAIN: 'one', URL: 'postgres://u:s3cr3t-of-build@127.0.0.1/x' },
    secrets: ['URL'],
    masked: ['s3cr3t-of-build'],
  });
  expect(lines).toEqual([
    expect.stringMatching(
      /^LEADS is not there in this build: api\.LEADS refers to db\.GONE: .* has no variable "GONE"\.$/,
    ),
    expect.stringMatching(/^PATH is the build's own/),
  ]);
  const { rows } = await sql<{ table: string }>`
    select table_name as table from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'
  `.execute(at.api.database.kysely);
  for (const { table } of rows) {
    const found = await sql`select 1 from ${sql.table(table)} one where one::text like '%s3cr3t-of-build%'`.execute(
      at.api.database.kysely,
    );
    expect([table, found.rows.length]).toEqual([table, 0]);
  }
  for (const page of [`/clusters/${clusterId}/commands/${id}`, `/builds/${id}`, '/audit-log']) {
    const { text } = await call('GET', page, undefined, at.ours.sessions.admin);
    expect([page, /s3cr3t-of-build/.test(text)]).toEqual([page, false]);
  }
});

test('an agent that knows no variables of builds gets none, and the log says what to do', async () => {
  const { id, ask } = await cluster();
  await stage(at.staging, add(api), set(api, 'PLAIN', 'one'));
  await apply(at.staging);
  await at.api.database.kysely
    .updateTable('cluster_agent')
    .set({ protocol_minor: 5 })
    .where('cluster_id', '=', id)
    .execute();
  const { given, lines } = await ask();
  expect(given).toEqual({ variables: undefined, secrets: undefined, masked: undefined });
  expect(lines).toEqual([
    expect.stringMatching(/too old to give variables to builds: update it with `.\/ballast cluster update/),
  ]);
});
