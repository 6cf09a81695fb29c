import { type Kysely, sql } from 'kysely';
import { type AvailableUpdate, agentUpdateAvailable } from '../../domain/notifications/messages.ts';
import { Problem } from '../../domain/problems.ts';
import type { ClusterRef } from '../clusters/clusters.ts';
import { type Author, effect } from '../engine/effect.ts';
import { notify } from '../notifications/notify.ts';
import type { Database } from '../postgres/database.ts';
import type { JsonObject } from '../postgres/json.ts';
import type { Tables } from '../postgres/tables.ts';
import { requestAgentUpdate } from './agent-updates.ts';

interface AgentReleaseView {
  image: string;
  version: string;
  digest: string;
  sizeBytes: number;
  createdAt: Date;
  /** The signature of the release by the installation's key. */
  proof: JsonObject;
}

const columns = ['image', 'version', 'digest', 'size_bytes as sizeBytes', 'created_at as createdAt'] as const;

/** The column holds milliseconds: two releases offered within one would have no order, and neither would be the newest. */
const afterAllOthers = sql<Date>`greatest(now(), (select max(created_at) from agent_release) + interval '1 millisecond')`;

/**
 * Keeps a release; one that is there already is offered again, as the newest: the control plane may have gone back. Its
 * proof is replaced, since the installation may have another key by now.
 */
export async function storeRelease(
  kysely: Kysely<Tables>,
  release: { image: string; version: string; digest: string; bytes: Buffer; proof: object },
): Promise<void> {
  const { image, version, digest, bytes } = release;
  const proof = sql<JsonObject>`${JSON.stringify(release.proof)}::jsonb`;
  const current = await currentRelease(kysely);
  if (current?.digest === digest) {
    await kysely.updateTable('agent_release').set({ proof }).where('digest', '=', digest).execute();
    return;
  }
  await kysely
    .insertInto('agent_release')
    .values({ image, version, digest, size_bytes: bytes.length, bytes, proof, created_at: afterAllOthers })
    .onConflict((conflict) =>
      conflict.column('image').doUpdateSet({ offered: true, proof, created_at: afterAllOthers }),
    )
    .execute();
}

/** Those that nobody has signed, from before releases were, are there for nobody. */
function signedReleases(kysely: Kysely<Tables>) {
  return kysely.selectFrom('agent_release').select(columns).select('proof').where('proof', 'is not', null);
}

/** The one that clusters are told is available. */
export async function currentRelease(kysely: Kysely<Tables>): Promise<AgentReleaseView | undefined> {
  const row = await signedReleases(kysely)
    .where('offered', '=', true)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && view(row);
}

export async function findRelease(
  kysely: Kysely<Tables>,
  by: { image: string } | { digest: string },
): Promise<AgentReleaseView | undefined> {
  const query = signedReleases(kysely);
  const row = await ('image' in by
    ? query.where('image', '=', by.image)
    : query.where('digest', '=', by.digest)
  ).executeTakeFirst();
  return row && view(row);
}

function view(row: Omit<AgentReleaseView, 'proof'> & { proof: JsonObject | null }): AgentReleaseView {
  return { ...row, proof: row.proof ?? {} };
}

export async function readReleaseBytes(kysely: Kysely<Tables>, digest: string): Promise<Buffer | undefined> {
  const row = await kysely.selectFrom('agent_release').select('bytes').where('digest', '=', digest).executeTakeFirst();
  return row?.bytes;
}

/** Throws away releases that no agent runs and none has run for a while; the ones of the last days and the newest stay. */
export async function sweepReleases(kysely: Kysely<Tables>): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from agent_release
    where created_at < now() - interval '30 days'
      and created_at < (select max(created_at) from agent_release)
      and not exists (select from cluster_agent agent where agent.image = agent_release.image)
      and not exists (
        select from agent_update attempt
        where agent_release.image in (attempt.from_image, attempt.to_image)
          and attempt.created_at > now() - interval '180 days')
  `.execute(kysely);
  return Number(numAffectedRows ?? 0);
}

/** Newest first. */
export async function listReleases(kysely: Kysely<Tables>): Promise<AgentReleaseView[]> {
  return (await signedReleases(kysely).orderBy('created_at', 'desc').execute()).map(view);
}

const ofThisApi: Author = { kind: 'machine', id: 'api', name: 'api' };

/**
 * The agent of the local cluster runs what its control plane offers, without anybody asking for it. Each release is tried
 * once: not again if it failed there before, and not if an update was asked for since it is offered, since that decision
 * is somebody else's. Answers which release was asked for.
 */
export async function followRelease(database: Database, among?: ClusterRef): Promise<string | undefined> {
  const release = await currentRelease(database.kysely);
  if (release === undefined) return undefined;
  const { image } = release;
  const cluster = await database.kysely
    .selectFrom('cluster')
    .innerJoin('cluster_agent', 'cluster_agent.cluster_id', 'cluster.id')
    .select(['cluster.id', 'cluster.organization_id as organizationId'])
    .where('cluster.local', '=', true)
    .where('cluster_agent.contact', '=', 'connected')
    // Heard of in this life of the installation: one that is not back yet will say hello.
    .where('cluster_agent.last_heartbeat_at', '>', sql<Date>`now() - interval '45 seconds'`)
    .where('cluster_agent.image', '<>', image)
    .$if(among !== undefined, (query) => query.where('cluster.id', '=', among?.id ?? ''))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('agent_update')
            .select('agent_update.id')
            .whereRef('agent_update.cluster_id', '=', 'cluster.id')
            .where('agent_update.finished_at', 'is', null),
        ),
      ),
    )
    .where(({ not }) => not(isLeftToPeople(release)))
    .executeTakeFirst();
  if (cluster === undefined) return undefined;
  try {
    await effect(database, ofThisApi, (following) =>
      requestAgentUpdate(following, cluster, { kind: 'update', toImage: image }),
    );
    return image;
  } catch (error) {
    // Somebody was faster, or the agent has gone again.
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

/** Whether the agent of `cluster` does not follow this release by itself any more. */
function isLeftToPeople({ image, createdAt }: Pick<AgentReleaseView, 'image' | 'createdAt'>) {
  return sql<boolean>`exists (
    select from agent_update attempt
    where attempt.cluster_id = cluster.id and (
      attempt.created_at >= ${createdAt} or attempt.to_image = ${image} and attempt.state in ('failed', 'returned')))`;
}

const ofTheSweeper: Author = { kind: 'machine', id: 'sweeper', name: 'sweeper' };
const most = 200;

interface Untold extends AvailableUpdate {
  organizationId: string;
}

/**
 * Tells admins of each cluster whose agent runs another release than the offered one, and answers how many were told. Once for
 * each release, whether it came with a new control plane or an old agent was enrolled, and whether somebody was there to hear it.
 */
export async function tellAvailableUpdates(database: Database): Promise<number> {
  const release = await currentRelease(database.kysely);
  if (release === undefined) return 0;
  let told = 0;
  for (const { clusterId } of await untold(database.kysely, release)) {
    if (await tellOne(database, release, clusterId)) told += 1;
  }
  return told;
}

async function tellOne(database: Database, release: AgentReleaseView, clusterId: string): Promise<boolean> {
  return await effect(database, ofTheSweeper, async (telling) => {
    const [still] = await untold(telling.kysely, release, clusterId);
    if (still === undefined) return false;
    const { organizationId, ...update } = still;
    await telling.kysely
      .updateTable('cluster_agent')
      .set({ update_told_for: release.image })
      .where('cluster_id', '=', clusterId)
      .execute();
    await notify(telling, {
      organizationId,
      occasion: `agent-update ${clusterId} ${release.image}`,
      message: agentUpdateAvailable(update),
      to: { admins: true },
    });
    return true;
  });
}

/**
 * Not those that are updated right now, that follow by themselves, or whose people rolled this very release back. One
 * cluster's agent is locked, unless somebody has: then the next sweep tells.
 */
async function untold(kysely: Kysely<Tables>, release: AgentReleaseView, clusterId?: string): Promise<Untold[]> {
  const { image } = release;
  const { rows } = await sql<Untold>`
    select agent.cluster_id as "clusterId", agent.organization_id as "organizationId", cluster.name,
           agent.image as "from", ${image}::text as "to"
    from cluster_agent agent
    join cluster on cluster.id = agent.cluster_id and cluster.finished_at is null and cluster.state <> 'deleting'
    join organization on organization.id = agent.organization_id and organization.deletion_id is null
    where agent.contact = 'connected' and agent.image <> ${image} and agent.update_told_for is distinct from ${image}
      and not exists (
        select from agent_update attempt
        where attempt.cluster_id = agent.cluster_id
          and (attempt.finished_at is null or attempt.kind = 'rollback' and attempt.from_image = ${image}))
      and (not cluster.local or ${isLeftToPeople(release)})
      ${clusterId === undefined ? sql`` : sql`and agent.cluster_id = ${clusterId}`}
    limit ${most}
    ${clusterId === undefined ? sql`` : sql`for update of agent skip locked`}
  `.execute(kysely);
  return rows;
}
