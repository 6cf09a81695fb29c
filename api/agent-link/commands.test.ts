import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { storeRelease } from '../../db/agent-updates/agent-releases.ts';
import { endForsakenCommands } from '../../db/agents/lost-agents.ts';
import { type ClusterRef, createCluster } from '../../db/clusters/clusters.ts';
import { createEnrollmentToken } from '../../db/clusters/enrollment-tokens.ts';
import { cancelCommand, commandView, createCommand } from '../../db/commands/cluster-commands.ts';
import { readOutput } from '../../db/commands/command-output.ts';
import type { Effect } from '../../db/engine/effect.ts';
import { hashOf, PeerAgent } from '../../test/agents/peer-agent.ts';
import { releaseSigner } from '../../test/agents/release-signer.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { fileApi } from '../../test/api/own-api.ts';
import { until } from '../../test/ground/until.ts';
import { seedOrganization } from '../../test/seeds/seed.ts';

let cluster: ClusterRef;
let agent: PeerAgent;

const api = await fileApi();
const organizationId = await seedOrganization(api.database);
beforeEach(async () => {
  cluster = await running((effect) => createCluster(effect, { organizationId, name: 'Machine' }));
  agent = new PeerAgent(api.url);
});

const running = <T>(work: (effect: Effect) => Promise<T>): Promise<T> => api.effect(work);
const token = async (of = cluster) => (await running((effect) => createEnrollmentToken(effect, of))).secret;
const exec = { kind: 'exec', instance: 'i', command: ['true'], timeoutSeconds: 10 };
const command = (body: { kind: string; [field: string]: unknown } = exec) =>
  running((effect) => createCommand(effect, api.keyring, cluster, { body }));

describe('commands', () => {
  test('are delivered to a waiting agent, their output and end are taken once', async () => {
    await agent.join(await token());
    const waiting = agent.work(0, 20);
    const id = await command();
    const { commands } = await waiting;
    expect(commands).toEqual([{ id, attempt: 1, body: exec }]);
    expect((await agent.work(0)).commands).toEqual([]);
    const piece = { number: 0, stream: 'stdout', data: Buffer.from('hi').toString('base64') } as const;
    await agent.output(id, [piece]);
    await agent.output(id, [piece, { ...piece, number: 1 }]);
    const pieces = await readOutput(
      api.database.kysely,
      api.keyring,
      { id, organizationId: cluster.organizationId },
      -1,
    );
    expect(pieces.map(({ data }) => data.toString())).toEqual(['hi', 'hi']);
    // In the database itself it is as secret as the command.
    const kept = await api.rows.all('command_output', { command_id: id });
    expect(kept.some(({ data }) => data.includes('hi') || data.includes(Buffer.from('hi').toString('base64')))).toBe(
      false,
    );
    await agent.result(id, { exitCode: 3 });
    await agent.result(id, { outcome: 'failed' });
    expect(await commandView(api.database.kysely, cluster, id)).toMatchObject({ state: 'done', exitCode: 3 });
  });

  test('of which nothing is heard are delivered again, and no more once they are at work', async () => {
    await agent.join(await token());
    const id = await command();
    expect((await agent.work(0)).commands).toHaveLength(1);
    await api.sql`update cluster_command set delivered_at = now() - interval '7 s', lease_until = now() + interval '53 s'
              where id = ${id}`;
    expect((await agent.work(0)).commands).toHaveLength(1);
    await agent.heartbeat([id]);
    await until('the lease is renewed', async () => {
      const rows = await api.sql<{ renewed: boolean }>`
        select lease_until > delivered_at + interval '60 s' as renewed from cluster_command where id = ${id}
      `;
      return rows[0]?.renewed;
    });
    await api.sql`update cluster_command set delivered_at = now() - interval '7 s' where id = ${id}`;
    expect((await agent.work(0)).commands).toEqual([]);
  });

  test('belong to the cluster that they were made for', async () => {
    await agent.join(await token());
    const id = await command();
    const other = await running((effect) => createCluster(effect, { organizationId, name: 'Other' }));
    const stranger = new PeerAgent(api.url);
    await stranger.join(await token(other));
    expect((await stranger.call('POST', `commands/${id}/result`, { attempt: 1, outcome: 'done' })).status).toBe(404);
    const pieces = [{ number: 0, stream: 'stdout', data: 'aGk=' }];
    expect((await stranger.call('POST', `commands/${id}/output`, { pieces })).status).toBe(404);
  });

  test('the journal decides: another one loses them, the same one that does not know them cannot say', async () => {
    await agent.join(await token());
    const [known, unknown] = [await command(), await command()];
    await agent.work(0);
    await agent.hello({ journalled: [known] });
    const state = async (id: string) => (await commandView(api.database.kysely, cluster, id))?.state;
    expect([await state(known), await state(unknown)]).toEqual(['delivered', 'unknown']);
    agent.journalId = crypto.randomUUID();
    await agent.hello();
    expect(await state(known)).toBe('lost');
  });

  test('are cancelled, at once or by the agent, and expire when nobody takes them', async () => {
    await agent.join(await token());
    const [waiting, late, taken] = [await command(), await command(), await command()];
    await running((effect) => cancelCommand(effect, cluster, waiting));
    await api.sql`update cluster_command set expires_at = now() - interval '1 second' where id = ${late}`;
    expect((await agent.work(0)).commands.map(({ id }) => id)).toEqual([taken]);
    await running((effect) => cancelCommand(effect, cluster, taken));
    expect((await agent.work(0)).cancelled).toEqual([taken]);
    expect((await agent.work(0)).cancelled).toEqual([]);
    await agent.result(taken, { outcome: 'cancelled' });
    expect(await endForsakenCommands(api.database)).toBe(1);
    const states = [waiting, late, taken].map((id) => commandView(api.database.kysely, cluster, id));
    expect((await Promise.all(states)).map((one) => one?.state)).toEqual(['cancelled', 'expired', 'cancelled']);
  });
});

describe('downloads', () => {
  test('a release that nobody has signed is offered to nobody, and that is said', async () => {
    const digest = `sha256:${'ab'.repeat(32)}`;
    const image = 'ballast-agent:8-abababababab';
    await storeRelease(api.database.kysely, { image, version: '8', digest, bytes: randomBytes(10), proof: {} });
    await api.sql`update agent_release set proof = null`;
    expect((await agent.join(await token())).trust).toBeUndefined();
    expectProblem(await agent.call('GET', 'release'), 503, 'no signed release of the agent');
    expect((await agent.call('GET', `bundles/${digest}`)).status).toBe(404);
  });

  test('the release and the program are for agents and for those who hold a token that is still good', async () => {
    const signer = releaseSigner();
    const bytes = randomBytes(1000);
    const digest = `sha256:${hashOf(bytes.toString('latin1'))}`;
    await storeRelease(api.database.kysely, {
      image: 'ballast-agent:9-000000000000',
      version: '9',
      digest,
      bytes,
      proof: signer.prove(digest),
    });
    const secret = await token();
    agent.credential = secret;
    expect((await agent.call('GET', `bundles/${digest}`)).bytes.equals(bytes)).toBe(true);
    const rest = await agent.call('GET', `bundles/${digest}`, undefined, { range: 'bytes=900-' });
    expect(rest.status).toBe(206);
    expect(rest.bytes.equals(bytes.subarray(900))).toBe(true);
    agent.credential = randomBytes(32).toString('base64url');
    expect((await agent.call('GET', `bundles/${digest}`)).status).toBe(403);
    expect((await agent.call('GET', 'runtime')).status).toBe(403);
    expect((await agent.join(secret)).trust).toEqual({ key: signer.key, chain: [] });
    expect((await agent.call('GET', 'release')).body).toMatchObject({ digest, sizeBytes: 1000 });
    // This API was started without the agent's program.
    expect((await agent.call('GET', 'install.sh')).status).toBe(503);
  });
});
