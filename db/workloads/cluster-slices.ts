import { isDeepStrictEqual } from 'node:util';
import { CompiledQuery, type Kysely, sql } from 'kysely';
import { isClusterLiving } from '../../domain/clusters/clusters.ts';
import { Problem } from '../../domain/problems.ts';
import { type ClusterRef, lockCluster, wakeAgent } from '../clusters/clusters.ts';
import type { Effect } from '../engine/effect.ts';
import { CannotOpen } from '../keys/keys.ts';
import type { JsonObject } from '../postgres/json.ts';
import type { Tables } from '../postgres/tables.ts';
import { hasWords } from '../search/finder.ts';
import { allocateHosts } from './ingress-hosts.ts';
import {
  type Secrets,
  type StoredWorkload,
  sealWorkload,
  unsealWorkload,
  type WorkloadToStore,
} from './sealed-workload.ts';

const mostSlices = 1_000;
const mostBytes = 32 * 1024 * 1024;

export interface SliceToApply {
  key: string;
  /** As people call it. */
  name: string;
  workload: WorkloadToStore;
  /** Beneath it, each process that serves requests gets a host name. */
  ingressDomain: string;
}

export interface AppliedSlice {
  revision: number;
  /** `unchanged`: it was so already, and the agent is not bothered. `again`: it was so, and is tried anew. */
  change: 'created' | 'changed' | 'unchanged' | 'again';
  routes: { host: string; process: string }[];
}

export interface SliceView {
  key: string;
  name: string;
  revision: number;
  /** With empty values where a secret is: those of the environment and the registry's password. */
  workload: JsonObject;
  createdAt: Date;
  updatedAt: Date;
  /** Set from removal until the agent reports nothing of the workload any more. */
  removedAt: Date | null;
}

/** Sets the desired state of one service in one environment on a cluster. The workload is already validated. */
export async function applySlice(
  effect: Effect,
  keyring: Secrets,
  cluster: ClusterRef,
  { key, name, workload, ingressDomain }: SliceToApply,
  mayBeAnother: () => Promise<boolean> = async () => false,
): Promise<AppliedSlice> {
  const revision = (await lockLiving(effect, cluster)).desired_revision + 1;
  // Locked before its host names are read: a report may be about to delete both after a removal.
  const before = await lockSlice(effect.kysely, cluster, key);
  const serving = workload.processes.filter(({ kind }) => kind === 'http' || kind === 'tcp');
  const processes = serving.map((process) => process.name);
  const hosts = await allocateHosts(effect, cluster, { key, name, processes, ingressDomain });
  const own = processes.flatMap((process) => {
    const host = hosts.get(process);
    return host === undefined ? [] : [{ host, process }];
  });
  const routes = [...own, ...workload.routes.filter((route) => !own.some(({ host }) => host === route.host))];
  const wanted = { ...workload, routes };
  const is = before?.removed_at === null && before.name === name ? before : undefined;
  const same = is !== undefined && (await isSame(keyring, cluster, key, is, wanted));
  if (same && !(await mayBeAnother())) return { revision: is.revision, change: 'unchanged', routes };
  const sealed = await sealWorkload(keyring, cluster, key, wanted);
  await refuseTooMuch(effect.kysely, cluster, key, sealed);
  const row = {
    name,
    revision,
    workload: sealed.workload,
    sealed_secrets: sealed.sealedSecrets,
    bytes: bytesOf(sealed),
  };
  await effect.kysely
    .insertInto('cluster_slice')
    .values({ ...row, cluster_id: cluster.id, key, organization_id: cluster.organizationId })
    .onConflict((conflict) =>
      conflict
        .columns(['cluster_id', 'key'])
        .doUpdateSet({ ...row, removed_at: null, updated_at: sql`clock_timestamp()` }),
    )
    .execute();
  await raise(effect, cluster, revision);
  return { revision, change: same ? 'again' : is === undefined ? 'created' : 'changed', routes };
}

/** A dry run: the changes that applying would make. Host names follow from the rest. */
export async function compareSlice(
  effect: Effect,
  keyring: Secrets,
  cluster: ClusterRef,
  { key, name, workload }: Omit<SliceToApply, 'ingressDomain'>,
): Promise<AppliedSlice['change']> {
  await lockLiving(effect, cluster);
  await refuseTooMuch(effect.kysely, cluster, key, await sealWorkload(keyring, cluster, key, workload));
  const before = await lockSlice(effect.kysely, cluster, key);
  if (before === undefined || before.removed_at !== null || before.name !== name) return 'created';
  const { routes } = before.workload as { routes?: WorkloadToStore['routes'] };
  const wanted = { ...workload, routes: routes ?? [] };
  return (await isSame(keyring, cluster, key, before, wanted)) ? 'unchanged' : 'changed';
}

async function isSame(
  keyring: Secrets,
  cluster: ClusterRef,
  key: string,
  { workload, sealed_secrets: sealedSecrets }: { workload: JsonObject; sealed_secrets: Buffer | null },
  wanted: WorkloadToStore,
): Promise<boolean> {
  return await unsealWorkload(keyring, cluster, key, { workload, sealedSecrets }).then(
    (now) => isDeepStrictEqual(now, JSON.parse(JSON.stringify(wanted))),
    // Secrets that no longer decrypt are written anew.
    (error: unknown) => {
      if (!(error instanceof CannotOpen)) throw error;
      return false;
    },
  );
}

/** Marks a workload as removed; the row is deleted once the agent reports nothing of it. `undefined`: there is none. */
export async function removeSlice(
  effect: Effect,
  cluster: ClusterRef,
  key: string,
): Promise<{ revision: number; name: string } | undefined> {
  const revision = (await lockLiving(effect, cluster)).desired_revision + 1;
  const removed = await effect.kysely
    .updateTable('cluster_slice')
    .set({ removed_at: sql`clock_timestamp()`, updated_at: sql`clock_timestamp()`, revision })
    .where('cluster_id', '=', cluster.id)
    .where('key', '=', key)
    .where('removed_at', 'is', null)
    .returning('name')
    .executeTakeFirst();
  if (removed === undefined) return undefined;
  await raise(effect, cluster, revision);
  return { revision, name: removed.name };
}

/** The workloads of a cluster by key, those being removed included. */
export async function listSlices(
  kysely: Kysely<Tables>,
  { id, organizationId }: ClusterRef,
  page: { limit: number; after?: string | undefined; q?: string | undefined } = { limit: 1_000 },
): Promise<SliceView[]> {
  let query = slices(kysely)
    .where('cluster_id', '=', id)
    .where('organization_id', '=', organizationId)
    .where(hasWords(page.q, [sql.ref('name')]));
  if (page.after !== undefined) query = query.where('key', '>', page.after);
  return await query.orderBy('key').limit(page.limit).execute();
}

export async function findSlice(
  kysely: Kysely<Tables>,
  { id, organizationId }: ClusterRef,
  key: string,
): Promise<SliceView | undefined> {
  return await slices(kysely)
    .where('cluster_id', '=', id)
    .where('organization_id', '=', organizationId)
    .where('key', '=', key)
    .executeTakeFirst();
}

/** `desired` of protocol/desired.ts: what was stored was checked, so it is not checked again. */
export interface DesiredState {
  revision: number;
  slices: { key: string; revision: number; workload: JsonObject }[];
  broken: { key: string; revision: number; error: string }[];
  removed: string[];
}

// One statement, so that revision and slices are of one moment.
const desiredQuery = `
  select cluster.organization_id as "organizationId", cluster.desired_revision as "desiredRevision",
         slice.key, slice.revision, slice.workload, slice.sealed_secrets as "sealedSecrets",
         slice.removed_at is not null as removed
  from cluster
  left join cluster_slice slice on slice.cluster_id = cluster.id
    and slice.revision > case when $2 > cluster.desired_revision then 0 else $2 end
  where cluster.id = $1 and cluster.finished_at is null
  order by slice.key`;

interface DesiredRow {
  organizationId: string;
  desiredRevision: number;
  key: string | null;
  revision: number;
  workload: JsonObject;
  sealedSecrets: Buffer | null;
  removed: boolean;
}

/** Workloads changed after `since`, decrypted. A workload that does not decrypt is named and blocks no other. */
export async function desiredSince(
  kysely: Kysely<Tables>,
  keyring: Secrets,
  clusterId: string,
  since: number,
): Promise<DesiredState> {
  const { rows } = await kysely.executeQuery<DesiredRow>(CompiledQuery.raw(desiredQuery, [clusterId, since]));
  const desired: DesiredState = { revision: rows[0]?.desiredRevision ?? 0, slices: [], broken: [], removed: [] };
  for (const { organizationId, key, revision, removed, ...stored } of rows) {
    if (key === null) continue;
    if (removed) {
      desired.removed.push(key);
      continue;
    }
    try {
      const workload = await unsealWorkload(keyring, { id: clusterId, organizationId }, key, stored);
      desired.slices.push({ key, revision, workload });
    } catch (failure) {
      // Keys that are not there yet will be: named as broken now, the workload would not be delivered again.
      if (!(failure instanceof CannotOpen)) throw failure;
      const error = 'The secrets of this workload cannot be decrypted: apply the workload again.';
      desired.broken.push({ key, revision, error });
    }
  }
  return desired;
}

function bytesOf({ workload, sealedSecrets }: StoredWorkload): number {
  return Buffer.byteLength(JSON.stringify(workload)) + (sealedSecrets?.length ?? 0);
}

/** An agent fetches all workloads in one answer, whose size is bounded. */
async function refuseTooMuch(kysely: Kysely<Tables>, cluster: ClusterRef, key: string, own: StoredWorkload) {
  const { slices, bytes } = await kysely
    .selectFrom('cluster_slice')
    .select(sql<number>`count(*)::int`.as('slices'))
    .select(sql<number>`coalesce(sum(bytes), 0)::float8`.as('bytes'))
    .where('cluster_id', '=', cluster.id)
    .where('removed_at', 'is', null)
    .where('key', '<>', key)
    .executeTakeFirstOrThrow();
  if (slices < mostSlices && bytes + bytesOf(own) <= mostBytes) return;
  throw new Problem(
    'conflict',
    `A cluster takes at most ${mostSlices} workloads with ${mostBytes / 1024 / 1024} MB of settings together: use another cluster, or remove some.`,
  );
}

async function lockLiving(effect: Effect, cluster: ClusterRef) {
  const row = await lockCluster(effect, cluster);
  if (row === undefined) throw new Problem('not-found', 'There is no such cluster.');
  if (isClusterLiving(row.state)) return row;
  throw new Problem('already-decided', `The cluster "${row.name}" is being deleted: no workload can be applied to it.`);
}

/** A change of the cluster's slices that is none of what people applied; nothing where the cluster is being deleted. */
export async function raiseDesired(effect: Effect, cluster: ClusterRef, change: (revision: number) => Promise<void>) {
  const row = await lockCluster(effect, cluster);
  if (row === undefined || !isClusterLiving(row.state)) return;
  await change(row.desired_revision + 1);
  await raise(effect, cluster, row.desired_revision + 1);
}

async function raise(effect: Effect, { id, organizationId }: ClusterRef, revision: number): Promise<void> {
  await effect.kysely.updateTable('cluster').set({ desired_revision: revision }).where('id', '=', id).execute();
  wakeAgent(effect, { id, organizationId });
  effect.change({ organizationId, kind: 'workload', id });
}

async function lockSlice(kysely: Kysely<Tables>, { id }: ClusterRef, key: string) {
  return await kysely
    .selectFrom('cluster_slice')
    .select(['name', 'revision', 'workload', 'sealed_secrets', 'removed_at'])
    .where('cluster_id', '=', id)
    .where('key', '=', key)
    .forUpdate()
    .executeTakeFirst();
}

function slices(kysely: Kysely<Tables>) {
  return kysely
    .selectFrom('cluster_slice')
    .select([
      'key',
      'name',
      'revision',
      'workload',
      'created_at as createdAt',
      'updated_at as updatedAt',
      'removed_at as removedAt',
    ]);
}
