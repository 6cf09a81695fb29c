import { randomBytes } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { acceptReport } from '../../db/agents/reports.ts';
import { type ClusterRef, createCluster } from '../../db/clusters/clusters.ts';
import { createEnrollmentToken } from '../../db/clusters/enrollment-tokens.ts';
import { commandView, createCommand, endCommand } from '../../db/commands/cluster-commands.ts';
import { sweepCommandOutput, sweepCommands } from '../../db/commands/command-output.ts';
import type { Effect } from '../../db/engine/effect.ts';
import { applySlice, removeSlice } from '../../db/workloads/cluster-slices.ts';
import { listObservedSlices } from '../../db/workloads/observed-slices.ts';
import { actorId } from '../../domain/actors/actors.ts';
import { workload } from '../../protocol/workload.ts';
import { sampleRow } from '../../test/actors/sample-row.ts';
import { hashOf, observedSlice, PeerAgent } from '../../test/agents/peer-agent.ts';
import { fileApi } from '../../test/api/own-api.ts';
import { until } from '../../test/ground/until.ts';
import { seedOrganization } from '../../test/seeds/seed.ts';

const app = workload.parse({
  release: '1',
  image: { layout: '/srv/app' },
  processes: [{ name: 'web', kind: 'http', port: 8080 }],
});

/** The harm a hostile agent can do: it holds a credential, and nothing else is known of it. */
let cluster: ClusterRef;
let agent: PeerAgent;

const api = await fileApi();
const organizationId = await seedOrganization(api.database);
beforeEach(async () => {
  ({ cluster, agent } = await joined());
});

const running = <T>(work: (effect: Effect) => Promise<T>): Promise<T> => api.effect(work);

async function joined(): Promise<{ cluster: ClusterRef; agent: PeerAgent }> {
  const made = await running((effect) => createCluster(effect, { organizationId, name: 'Machine' }));
  const { secret } = await running((effect) => createEnrollmentToken(effect, made));
  const one = new PeerAgent(api.url);
  await one.join(secret);
  return { cluster: made, agent: one };
}

async function told(actor: string, message: string): Promise<number> {
  return (await api.rows.all('outbox', { actor_id: actor, message })).length;
}

test('a report of more values than any cluster has is refused before each is checked', async () => {
  const slices = Array.from({ length: 250_000 }, () => ({}));
  const refused = await agent.call('POST', 'report', { number: 1, full: true, appliedRevision: 0, slices });
  expect([refused.status, refused.body.detail]).toEqual([413, expect.stringContaining('200,000 values')]);
});

test('trouble that comes and goes does not fill the history of its cluster', async () => {
  for (let time = 0; time < 11; time += 1) {
    await agent.report([observedSlice('a', { error: `No image ${time}.` })]);
    await agent.report([observedSlice('a')]);
  }
  expect(await told(actorId('cluster', cluster.id), 'trouble')).toBe(10);
});

test('an agent that starts over and over has to wait', async () => {
  const hello = () => agent.hello().then(() => 'welcome', String);
  const answers: string[] = [];
  while (answers.length < 40 && !answers.at(-1)?.includes('429')) answers.push(await hello());
  expect(answers.at(-1)).toContain('429');
  expect(answers.length).toBeGreaterThan(25);
  // Others are not kept waiting.
  await joined();
});

test('more slices than any cluster has are refused, and nothing is kept of them', async () => {
  const many = Array.from({ length: 2_001 }, (_, number) => observedSlice(`s${number}`));
  const report = { number: 1, full: false, appliedRevision: 0, slices: many };
  expect((await agent.call('POST', 'report', report)).status).toBe(413);
  expect(await listObservedSlices(api.database.kysely, cluster)).toEqual([]);
});

test('an update hears the first words of its agent, and not what it goes on to say', async () => {
  const { id: updateId } = await sampleRow(api.database, 'agent-update', { state: 'downloading', revision: 1 });
  const id = await running((effect) =>
    createCommand(effect, api.keyring, cluster, {
      body: { kind: 'update' },
      actorId: actorId('agent-update', updateId),
    }),
  );
  const data = Buffer.from('Downloading.').toString('base64');
  for (const number of [1, 99, 100, 101, 5_000]) await agent.output(id, [{ number, stream: 'progress', data }]);
  expect(await told(actorId('agent-update', updateId), 'progress')).toBe(2);
});

test('what nests without end is refused like anything else that is not the protocol', async () => {
  const deep = `{"token":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
  const answer = await fetch(`${api.url}/agent/v1/enrol`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: deep,
  });
  expect(answer.status).toBe(422);
});

test('nobody changes to a credential of another agent, or the other would be taken for it', async () => {
  const { agent: other } = await joined();
  const credentialHash = hashOf(agent.credential);
  expect((await other.call('POST', 'credential', { credentialHash })).status).toBe(403);
  const next = randomBytes(32).toString('base64url');
  expect((await agent.call('POST', 'credential', { credentialHash: hashOf(next) })).status).toBe(200);
  expect((await other.call('POST', 'credential', { credentialHash: hashOf(next) })).status).toBe(403);
});

test('applied again while it is forgotten, a slice has host names that are its own', async () => {
  const slice = { key: 'a', name: 'a', workload: app, ingressDomain: 'apps.example.com' };
  const apply = () => running((effect) => applySlice(effect, api.keyring, cluster, slice));
  await apply();
  await running((effect) => removeSlice(effect, cluster, 'a'));
  let applying: ReturnType<typeof apply> | undefined;
  const report = { number: 1, full: true, appliedRevision: 2, slices: [], removed: [] };
  await running(async (accepting) => {
    await acceptReport(accepting, cluster, agent.incarnation, report, () => true);
    applying = apply();
    let over = false;
    const ended = () => {
      over = true;
    };
    applying.then(ended, ended);
    await until('it waits for this, or is over', async () => over || (await waiting()));
  });
  const [route] = (await applying)?.routes ?? [];
  const hosts = await api.rows.all('ingress_host', { cluster_id: cluster.id });
  expect(hosts.map(({ host }) => host)).toEqual([route?.host]);
});

test('a cluster takes as much as its agent can be told in one answer', async () => {
  await api.sql`insert into cluster_slice (cluster_id, key, organization_id, name, revision, workload)
            select ${cluster.id}, 's' || n, ${organizationId}, 's', 1, '{}' from generate_series(1, 999) n
  `;
  const apply = (key: string, environment: Record<string, string> = {}) => {
    const slice = { key, name: key, workload: { ...app, environment }, ingressDomain: 'apps.example.com' };
    return running((effect) => applySlice(effect, api.keyring, cluster, slice));
  };
  await apply('a');
  await expect(apply('b')).rejects.toMatchObject({ code: 'conflict' });
  const nearly = 32 * 1024 * 1024 - 20_000;
  await api.sql`update cluster_slice set bytes = ${nearly} where cluster_id = ${cluster.id} and key = 's1'`;
  const large = { KEY: 'x'.repeat(20_000) };
  await expect(apply('a', large)).rejects.toMatchObject({ code: 'conflict' });
  // Existing workloads may still be changed.
  expect(await apply('a', { KEY: 'x' })).toMatchObject({ change: 'changed' });
});

test('commands are forgotten a month after they finished, and what they said before that', async () => {
  const { kysely } = api.database;
  const body = { kind: 'exec', instance: 'i', command: ['true'], timeoutSeconds: 1 };
  const [old, open] = await Promise.all(
    [0, 1].map(() => running((effect) => createCommand(effect, api.keyring, cluster, { body }))),
  );
  const piece = { number: 0, stream: 'stdout', data: '' } as const;
  await agent.output(old ?? '', [piece]);
  await running((effect) => endCommand(effect, old ?? '', { state: 'done' }));
  await api.sql`update cluster_command set finished_at = now() - interval '31 days' where id = ${old}`;
  expect(await sweepCommands(kysely)).toBe(0);
  await api.sql`update command_output set created_at = now() - interval '31 days'`;
  expect(await sweepCommandOutput(kysely)).toBe(1);
  expect(await sweepCommands(kysely)).toBe(1);
  expect(await commandView(kysely, cluster, open ?? '')).toMatchObject({ state: 'queued' });
});

/** Whether some transaction of this database waits for another one. */
async function waiting(): Promise<boolean> {
  const rows = await api.sql<{ waits: boolean }>`
    select exists (
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    ) as waits
  `;
  return rows[0]?.waits === true;
}
