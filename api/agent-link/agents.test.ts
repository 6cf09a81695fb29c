import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { revokeAgent } from '../../db/agents/cluster-agents.ts';
import { declareLost } from '../../db/agents/lost-agents.ts';
import { requestClusterDeletion } from '../../db/clusters/cluster-deletion.ts';
import { type ClusterRef, createCluster, findCluster } from '../../db/clusters/clusters.ts';
import { beat } from '../../db/engine/processes/processes.ts';
import { listObservedSlices } from '../../db/workloads/observed-slices.ts';
import { linkedCluster } from '../../test/agents/linked-cluster.ts';
import { facts, hashOf, observedSlice, PeerAgent } from '../../test/agents/peer-agent.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { fileApi } from '../../test/api/own-api.ts';
import { until } from '../../test/ground/until.ts';
import { seedOrganization } from '../../test/seeds/seed.ts';

let cluster: ClusterRef;
let agent: PeerAgent;
const apiProcess = '00000000-0000-4000-8000-000000000001';

const api = await fileApi({ env: { INGRESS_DOMAIN: 'apps.example.com' } });
const organizationId = await seedOrganization(api.database);

const { running, token, told, events } = linkedCluster(() => ({ api, cluster }));
const view = async () => {
  const found = await findCluster(api.database.kysely, organizationId, cluster.id);
  if (found === undefined) throw new Error('The cluster is gone.');
  return found;
};

beforeEach(async () => {
  cluster = await running((effect) => createCluster(effect, { organizationId, name: 'Machine' }));
  agent = new PeerAgent(api.url);
});

describe('enrolment', () => {
  test('a token takes one agent on; the same agent may ask again, since its answer may have been lost', async () => {
    const secret = await token();
    expect((await agent.enrol(secret)).body).toMatchObject({ clusterId: cluster.id, clusterName: 'Machine' });
    expect((await agent.enrol(secret)).status).toBe(200);
    const other = await new PeerAgent(api.url).enrol(secret);
    expect(other).toMatchObject({ status: 403, body: { detail: expect.stringContaining('already used') } });
    const unknown = await agent.enrol('bje_nothing-that-was-ever-made');
    expect(unknown).toMatchObject({ status: 403, body: { detail: expect.stringContaining('is unknown') } });
    const late = await token();
    await api.sql`update enrollment_token set expires_at = now() - interval '1 second' where used_at is null`;
    expect((await agent.enrol(late)).body.detail).toContain('expired');
    expect(await told()).toEqual(['enrolled']);
  });

  test('a protocol that is not served is refused with what to do', async () => {
    const body = { token: await token(), credentialHash: hashOf('x'), version: '0', hostname: 'h' };
    const refused = await agent.call('POST', 'enrol', { ...body, protocol: { major: 0, minor: 9 } });
    expect(refused).toMatchObject({
      status: 426,
      body: { detail: expect.stringContaining('install the agent again') },
    });
  });

  test('another agent takes the place of the first one, which is refused from then on', async () => {
    await agent.join(await token());
    const next = new PeerAgent(api.url);
    await next.join(await token());
    expect((await agent.call('POST', 'heartbeat', { running: [] })).status).toBe(403);
    expect(await told()).toEqual(['enrolled', 'connected', 'enrolled', 'connected']);
  });

  test('a credential that nobody has is 403 and never 401; revoked, it is refused at once', async () => {
    expect((await agent.call('POST', 'hello', {})).status).toBe(403);
    await agent.join(await token());
    await running((effect) => revokeAgent(effect, cluster));
    const refused = await agent.call('POST', 'heartbeat', { running: [] });
    expect(refused).toMatchObject({ status: 403, body: { detail: expect.stringContaining('enrol the agent again') } });
    expect((await told()).at(-1)).toBe('revoked');
  });

  test('a changed credential is taken with its first use, and only from then on the old one is refused', async () => {
    await agent.join(await token());
    const old = agent.credential;
    const next = randomBytes(32).toString('base64url');
    expect((await agent.call('POST', 'credential', { credentialHash: hashOf(next) })).status).toBe(200);
    await agent.heartbeat();
    agent.credential = next;
    await agent.heartbeat();
    agent.credential = old;
    expect((await agent.call('POST', 'heartbeat', { running: [] })).status).toBe(403);
  });

  test('the agent of a cluster that goes is told so', async () => {
    await agent.join(await token());
    await running((effect) => requestClusterDeletion(effect, cluster));
    expect((await agent.call('POST', 'heartbeat', { running: [] })).status).toBe(410);
    expect((await agent.enrol('x')).status).toBe(403);
  });
});

describe('contact', () => {
  test('of two agents with one identity the older one is told to stop, and people are told once', async () => {
    await agent.join(await token());
    const older = agent.incarnation;
    const waiting = agent.call('GET', 'work?since=0&wait=20');
    await agent.hello();
    expect((await waiting).status).toBe(409);
    expect(agent.incarnation).toBe(older + 1);
    for (let time = 0; time < 2; time += 1) {
      const refused = await agent.call('POST', 'heartbeat', { running: [] }, { 'x-ballast-incarnation': `${older}` });
      expect(refused.status).toBe(409);
    }
    expect(await events()).toEqual(['agent.superseded']);
  });

  test('an incarnation that nobody gave is refused; after a restored database the agent is believed', async () => {
    await agent.join(await token());
    const invented = { 'x-ballast-incarnation': '2000000000' };
    for (const path of ['heartbeat', 'report', 'credential']) {
      const refused = await agent.call('POST', path, {}, invented);
      expect([path, refused.status === 400 || refused.status === 422]).toEqual([path, true]);
    }
    expectProblem(await agent.call('POST', 'heartbeat', { running: [] }, invented), 400, 'start the agent again');
    await agent.heartbeat();
    expect((await view()).agent.incarnation).toBe(1);
    await agent.hello();
    await api.sql`update cluster_agent set incarnation = 0 where cluster_id = ${cluster.id}`;
    await agent.heartbeat();
    expect((await view()).agent.incarnation).toBe(2);
  });

  test.each([
    ['a hello', async () => {}],
    ['a revocation', async () => running((effect) => revokeAgent(effect, cluster))],
    ['another enrolment', async () => {}],
  ])('a cluster whose count was spoilt is usable again after %s', async (what, mend) => {
    await agent.join(await token());
    await api.sql`update cluster_agent set incarnation = 2000000000 where cluster_id = ${cluster.id}`;
    await mend();
    if (what !== 'a hello') agent = new PeerAgent(api.url);
    const { incarnation } = what === 'a hello' ? await agent.hello() : await agent.join(await token());
    expect(incarnation).toBe(1);
    await agent.heartbeat();
    await agent.report([observedSlice('workload/shop')]);
  });

  test('what an agent tells of itself is bounded, and cannot be taken for something else', async () => {
    await agent.join(await token());
    const long = 'x'.repeat(900_000);
    const hello = (more: object) => {
      const { journalId } = agent;
      const said = { protocol: { major: 1, minor: 0 }, version: '1', image: 'i', journalId, journalled: [], facts };
      return agent.call('POST', 'hello', { ...said, ...more });
    };
    const [node] = facts.nodes;
    for (const more of [
      { version: long },
      { image: long },
      { facts: { ...facts, nodes: [{ ...node, name: long }] } },
      { facts: { ...facts, nodes: Array.from({ length: 1001 }, () => node) } },
      { facts: { ...facts, nodes: [{ ...node, name: 'gpj.\u202eexe' }] } },
      { facts: { ...facts, platform: { os: long, arch: 'x64' } } },
    ]) {
      expect((await hello(more)).status).toBe(422);
    }
    const told = {
      ...facts,
      runtimeVersion: long.slice(0, 300_000),
      holds: { isolation: { holds: false, why: `\u001b[2J\u202e${long.slice(0, 300_000)}` } },
    };
    await agent.hello({ facts: told });
    const seen = JSON.stringify((await view()).agent.facts);
    expect(seen.length).toBeLessThan(3_000);
    // As JSON writes an escape character.
    expect(seen).not.toContain('\\u001b');
    expect(seen).not.toContain('\u202e');
    await agent.report([observedSlice('workload/shop', { error: long })], { error: `\u2067${long}` });
    const [slice] = await listObservedSlices(api.database.kysely, cluster);
    expect(slice?.error?.length).toBe(2_000);
  });

  test('silence is loss only while somebody listens, and the first word after it is contact again', async () => {
    const { kysely } = api.database;
    await agent.join(await token());
    const silentFor = (seconds: number) =>
      api.sql`update cluster_agent set last_heartbeat_at = now() - make_interval(secs => ${seconds})
          where cluster_id = ${cluster.id}`;
    const listening = (since: number) =>
      api.sql`update process set present_since = now() - make_interval(secs => ${since}), seen_at = now()`;
    await silentFor(90);
    expect(await declareLost(api.database)).toBe(0);
    await beat(kysely, { id: apiProcess, kind: 'api', version: '1', state: {} });
    // The control plane has just started: silence from before that is no evidence.
    expect(await declareLost(api.database)).toBe(0);
    await listening(40);
    expect(await declareLost(api.database)).toBe(0);
    await listening(60);
    expect(await declareLost(api.database)).toBe(1);
    expect(await declareLost(api.database)).toBe(0);
    await agent.heartbeat();
    await agent.heartbeat();
    expect(await told()).toEqual(['enrolled', 'connected', 'lost', 'back']);
    // Stopped and continued, it is the same process, but it was not there meanwhile.
    await silentFor(90);
    await api.sql`update process set seen_at = now() - interval '16 seconds'`;
    await beat(kysely, { id: apiProcess, kind: 'api', version: '1', state: {} });
    expect(await declareLost(api.database)).toBe(0);
    await api.sql`delete from process`;
  });

  test('heartbeats are written together a moment later, with what the machine is', async () => {
    await agent.join(await token());
    await api.sql`update cluster_agent set last_heartbeat_at = null where cluster_id = ${cluster.id}`;
    expect(await agent.heartbeat([], { ...facts, driver: 'docker' })).toEqual({ rotate: false });
    const seen = await until('the heartbeat', async () => ((await view()).agent.lastHeartbeatAt ? view() : undefined));
    expect(seen.agent.facts).toMatchObject({ driver: 'docker' });
  });
});
