import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { askAgent, lockBuild } from '../../db/builds/claim.ts';
import { commandBody } from '../../protocol/command.ts';
import { PeerAgent } from '../../test/agents/peer-agent.ts';
import { ok } from '../../test/api/client.ts';
import { seedSource } from '../../test/builds/seed-source.ts';
import { referencesGround } from '../../test/references/references-ground.ts';

const { at, api, db, add, set, batch, allLive, releaseIdOf } = referencesGround();
const { call, stage, apply } = at;

const also = { buildTime: 'also' };

/** A cluster for the environment, whose agent takes what it is asked. */
async function cluster() {
  const made = await call('POST', '/clusters', { name: `C ${crypto.randomUUID()}` }, at.ours.sessions.admin);
  const { cluster: found, token } = made.body as { cluster: { id: string }; token: string };
  const agent = new PeerAgent(at.api.url);
  await agent.join(token);
  await at.ours.rows.set('environment', { id: at.staging }, { cluster_id: found.id });
  const ask = async () => {
    const { organizationId } = at.ours;
    const place = { organizationId, projectId: at.projectId, serviceId: api.serviceId };
    const sourceId = await seedSource(at.api.database, place);
    const body = { environmentId: at.staging, sourceId };
    const { id } = (await call('POST', `/services/${api.serviceId}/builds`, body)).body as { id: string };
    await at.api.effect(async (asking) => {
      const build = await lockBuild(asking, id);
      if (build !== undefined) await askAgent(asking, at.api.keyring, build);
    });
    const { commands } = await agent.work(0);
    const parsed = commandBody.parse(commands.find((one) => one.id === id)?.body);
    if (parsed.kind !== 'build') throw new Error('It is another command.');
    const { body: log } = await call('GET', `/builds/${id}/logs`);
    const { variables, secrets, masked } = parsed;
    const lines = (log.items as { text: string }[]).map(({ text }) => text);
    return { id, given: { variables, secrets, masked }, older: parsed.arguments, lines };
  };
  const output = async (id: string, progress: object) => {
    const data = Buffer.from(JSON.stringify(progress)).toString('base64');
    await agent.output(id, [{ number: 0, stream: 'progress', data }]);
  };
  return { id: found.id, ask, output };
}

test('a build is given what is said to be for builds and applied, with references put in, and nothing that is staged', async () => {
  const { id: clusterId, ask } = await cluster();
  await stage(
    at.staging,
    ...[add(api), add(db), set(db, 'PASS', 's3cr3t-of-build', { secret: true, ...also }), set(db, 'GONE', 'x')],
    ...[
      set(api, 'URL', 'postgres://u:${{db.PASS}}@${{db.HOST}}/x', also),
      set(api, 'PLAIN', 'one', also),
      set(api, 'ONLY', 'two', { buildTime: 'only' }),
      set(api, 'PATH', '/app/bin', also),
      set(api, 'RUNS', 's3cr3t-of-run-time', { secret: true }),
      set(api, 'VITE_API', 'of run time'),
    ],
    set(api, 'LEADS', 'to ${{db.GONE}}', also),
  );
  const { deployments } = await apply(at.staging);
  await stage(at.staging, set(api, 'PLAIN', 'staged'), set(api, 'NEW', 'staged', also));
  // Somebody's row is gone: no operation leaves it so.
  await at.ours.rows.remove('variable', { service_id: db.serviceId, key: 'GONE' });
  const { id, given, lines } = await ask();
  expect(given).toEqual({
    variables: { ONLY: 'two', PLAIN: 'one', URL: 'postgres://u:s3cr3t-of-build@127.0.0.1/x' },
    secrets: ['URL'],
    masked: ['s3cr3t-of-build'],
  });
  expect(lines).toEqual([
    expect.stringMatching(
      /^LEADS is not there in this build: api\.LEADS refers to db\.GONE: .* has no variable "GONE"\.$/,
    ),
    expect.stringMatching(/^PATH is the build's own/),
    'VITE_API is of run time alone: `./ballast var set VITE_API=… --build-time also`.',
  ]);
  const release = deployments.find(({ serviceId }) => serviceId === api.serviceId)?.releaseId ?? '';
  expect((await at.releaseOf(release)).variableKeys).toEqual(['LEADS', 'PATH', 'PLAIN', 'RUNS', 'URL', 'VITE_API']);
  const rows = await at.api.sql<{ table: string }>`
    select table_name as table from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'
  `;
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
  await stage(at.staging, add(api), set(api, 'PLAIN', 'one', also));
  await apply(at.staging);
  await at.api.rows.set('cluster_agent', { cluster_id: id }, { protocol_minor: 5 });
  const { given, lines } = await ask();
  expect(given).toEqual({ variables: undefined, secrets: undefined, masked: undefined });
  expect(lines).toEqual([
    expect.stringMatching(/too old to give variables to builds: update it with `.\/ballast cluster update/),
  ]);
});

test.each([
  ['directly', '${{db.PASS}}', {}],
  ['over a plain one', '${{db.DSN}}', { DSN: 'x ${{PASS}}' }],
  ['over a shared one', '${{shared.ALL}}', {}],
])('no variable of builds leads to a secret of run time: %s', async (_, value, ofDb: Record<string, string>) => {
  await stage(
    at.staging,
    ...[add(api), add(db), set(db, 'PASS', 'hidden', { secret: true })],
    ...Object.entries(ofDb).map(([key, text]) => set(db, key, text)),
    set(undefined, 'ALL', 'y ${{db.PASS}}'),
  );
  const refused = await batch(set(api, 'VITE_X', value, also));
  expect([refused.status, refused.body.detail]).toEqual([
    409,
    expect.stringMatching(/^api\.VITE_X is given to builds and leads to db\.PASS, a secret that they are not given/),
  ]);
  // The other end may become a secret later.
  await stage(at.staging, set(db, 'PASS', 'open', { secret: false }));
  ok(await batch(set(api, 'VITE_X', value, also)));
  await apply(at.staging);
  expect((await batch(set(db, 'PASS', 'hidden', { secret: true }))).status).toBe(409);
  ok(await batch(set(db, 'PASS', 'given again', { secret: true, ...also })));
});

test('a rollback gives builds no secret that was not given for them', async () => {
  const { ask } = await cluster();
  await stage(at.staging, add(api), set(api, 'TOKEN', 'of-before', { secret: true }), set(api, 'MODE', 'x'));
  const first = await apply(at.staging);
  await allLive(first);
  await stage(
    at.staging,
    ...[set(api, 'TOKEN', 'of-builds', { secret: true, ...also }), set(api, 'MODE', 'y', also)],
    set(api, 'ALONE', 'stays', { buildTime: 'only' }),
  );
  const second = await apply(at.staging);
  await allLive(second);
  expect((await ask()).given.variables).toEqual({ ALONE: 'stays', MODE: 'y', TOKEN: 'of-builds' });
  const path = `/releases/${releaseIdOf(first, api)}/rollback`;
  const rolled = ok(await call('POST', path), 201);
  await at.goLive((rolled.deployment as { id: string }).id);
  expect((await ask()).given.variables).toEqual({ ALONE: 'stays', MODE: 'x' });
});

test('plain variables of before builds were told apart: those that a Dockerfile takes are for builds from then on', async () => {
  const { ask, output } = await cluster();
  await stage(
    at.staging,
    ...[add(api), set(api, 'TAKEN', 'one'), set(api, 'OTHER', 'two'), set(api, 'HIDDEN', 'three', { secret: true })],
    set(api, 'SAID', 'four'),
  );
  await apply(at.staging);
  await at.api.database.kysely
    .updateTable('variable')
    .set({ build_time: null })
    .where('service_id', '=', api.serviceId)
    .where('key', '<>', 'SAID')
    .execute();
  const { id, given, older } = await ask();
  expect([given.variables, older]).toEqual([{}, { OTHER: 'two', TAKEN: 'one' }]);
  await output(id, { arguments: ['TAKEN', 'HIDDEN', 'SAID', 'ABSENT'] });
  const listed = ok<{ items: { key: string; buildTime: string }[] }>(
    await call('GET', `/environments/${at.staging}/variables`),
  );
  expect(listed.items.map(({ key, buildTime }) => [key, buildTime])).toEqual([
    ['HIDDEN', 'no'],
    ['OTHER', 'no'],
    ['SAID', 'no'],
    ['TAKEN', 'also'],
  ]);
});
