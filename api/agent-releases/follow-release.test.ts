import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { followRelease, storeRelease } from '../../db/agent-updates/agent-releases.ts';
import { agentStatus } from '../../db/agent-updates/agent-updates.ts';
import { type ClusterRef, createCluster } from '../../db/clusters/clusters.ts';
import { createEnrollmentToken } from '../../db/clusters/enrollment-tokens.ts';
import { PeerAgent } from '../../test/agents/peer-agent.ts';
import { type RunningApi, runningApi } from '../../test/installation/running-api.ts';
import { seedOrganization } from '../../test/seeds/seed.ts';

let api: RunningApi;
let local: ClusterRef;
let agent: PeerAgent;
const [first, second, third] = ['ballast-agent:1-aaa', 'ballast-agent:2-bbb', 'ballast-agent:3-ccc'] as const;

beforeAll(async () => {
  api = await runningApi();
  const organizationId = await seedOrganization(api.database);
  local = await make(organizationId, true);
  agent = await joined(local);
});
afterAll(() => api.close());

const make = (organizationId: string, isLocal: boolean) =>
  api.effect((making) => createCluster(making, { organizationId, name: isLocal ? 'local' : 'Berlin', local: isLocal }));

async function joined(cluster: ClusterRef): Promise<PeerAgent> {
  const { secret } = await api.effect((making) => createEnrollmentToken(making, cluster));
  const one = new PeerAgent(api.url);
  await one.join(secret, { image: first });
  return one;
}

async function offer(image: string): Promise<void> {
  const bytes = randomBytes(8);
  const digest = `sha256:${createHash('sha256').update(image).digest('hex')}`;
  await storeRelease(api.database.kysely, { image, version: '1', digest, bytes, proof: {} });
}

const attempts = async (cluster = local) =>
  (await agentStatus(api.database.kysely, cluster)).attempts.map(({ toImage }) => toImage);
const end = (state: string) =>
  api.sql`update agent_update set state = ${state}, finished_at = now() where finished_at is null`;

test('the agent of the local cluster follows what is offered, by itself and on the record', async () => {
  await offer(first);
  await agent.hello({ image: first });
  expect(await attempts()).toEqual([]);
  await offer(second);
  await agent.hello({ image: first });
  expect(await attempts()).toEqual([second]);
  const rows = await api.sql`
    select actor_kind, actor_id, action from audit_record where action = 'cluster.agent_update_requested'`;
  expect(rows).toEqual([{ actor_kind: 'machine', actor_id: 'api', action: 'cluster.agent_update_requested' }]);
  // As long as it is under way, it is that one.
  await offer(third);
  await agent.hello({ image: first });
  expect(await attempts()).toEqual([second]);
  await end('succeeded');
  expect(await Promise.all([followRelease(api.database), followRelease(api.database)])).toEqual(
    expect.arrayContaining([third, undefined]),
  );
  expect(await attempts()).toEqual([third, second]);
});

test('what has not worked is not tried again, and what somebody has decided since is left as it is', async () => {
  await end('returned');
  await agent.hello({ image: second });
  await offer(second);
  await offer(third);
  await agent.hello({ image: second });
  expect(await attempts()).toEqual([third, second]);
  await offer(first);
  await agent.hello({ image: second });
  expect(await attempts()).toEqual([first, third, second]);
  // Such as a return to the one from before: the next hello is not a reason to undo that.
  await end('succeeded');
  await agent.hello({ image: second });
  expect(await attempts()).toEqual([first, third, second]);
});

test('other clusters follow nobody', async () => {
  const berlin = await make(await seedOrganization(api.database), false);
  const other = await joined(berlin);
  await offer('ballast-agent:4-ddd');
  await other.hello({ image: first });
  expect(await attempts(berlin)).toEqual([]);
  expect(await attempts()).toHaveLength(3);
});
