import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { storeRelease } from '../../db/agent-updates/agent-releases.ts';
import type { Database } from '../../db/postgres/database.ts';
import type { Facts } from '../../protocol/agent.ts';
import type { ObservedInstance } from '../../protocol/observed.ts';
import { facts } from '../agents/peer-agent.ts';

const seededFacts: Facts = { ...facts, ingress: { port: 8089, addresses: ['192.0.2.7'] } };

function asJson<T>(value: unknown) {
  return sql<T>`${JSON.stringify(value)}::jsonb`;
}

/** Two releases of the agent, with nothing in them; the second is the one that is offered. */
export async function seedReleases(database: Database): Promise<{ older: string; newer: string }> {
  const releases = [1, 2].map((number) => ({
    image: `ballast-agent:${number}.0.0-${String(number).repeat(12)}`,
    version: `${number}.0.0`,
    digest: `sha256:${String(number).repeat(64)}`,
    bytes: Buffer.from(String(number)),
    proof: {},
  }));
  for (const release of releases) await storeRelease(database.kysely, release);
  const [older = '', newer = ''] = releases.map(({ image }) => image);
  return { older, newer };
}

/** A cluster's agent as it is after it has enrolled and said hello. */
export async function seedAgent(database: Database, clusterId: string, image: string): Promise<void> {
  await database.kysely
    .updateTable('cluster_agent')
    .set({
      credential_hash: Buffer.from(uuid()),
      enrolled_at: new Date(),
      contact: 'connected',
      incarnation: 1,
      journal_id: uuid(),
      version: '1.0.0',
      image,
      facts: asJson(seededFacts),
      connected_at: new Date(),
      last_heartbeat_at: new Date(),
    })
    .where('cluster_id', '=', clusterId)
    .execute();
}

/** An instance that the agent has reported, of a workload by its name, or of what has that key. */
export async function seedInstance(
  database: Database,
  cluster: { id: string; organizationId: string },
  of: string | { key: string },
  more: Partial<ObservedInstance> = {},
): Promise<string> {
  const id = `web-${uuid().slice(-8)}`;
  const instance: ObservedInstance = {
    id,
    process: 'web',
    release: 'one',
    node: 'here',
    state: 'ready',
    run: 1,
    startedAt: new Date().toISOString(),
    ...more,
  };
  const key = typeof of === 'string' ? `workload/${of}` : of.key;
  await database.kysely
    .insertInto('observed_slice')
    .values({
      cluster_id: cluster.id,
      key,
      organization_id: cluster.organizationId,
      applied_revision: 1,
      instances: asJson([instance]),
      volumes: asJson([]),
      traffic: asJson([]),
    })
    .execute();
  return id;
}
