import { isDeepStrictEqual } from 'node:util';
import { insertClusterEvent } from '../clusters/cluster-events.ts';
import type { ClusterRef } from '../clusters/clusters.ts';
import { tellRollouts } from '../deployments/told-rollout.ts';
import type { Effect } from '../engine/effect.ts';
import type { JsonObject } from '../postgres/json.ts';
import { type CrashLoop, longestTrouble, type Report } from './report.ts';

/** Slices as they were reported last, by their keys. */
export type Before = Map<string, { error: string | null; applied: number; rollout: JsonObject | null }>;

/** Tells of workloads that were applied, failed, recovered or crash again and again since the report before. */
export async function tellOfWorkloads(
  effect: Effect,
  cluster: ClusterRef,
  report: Report,
  before: Before,
): Promise<void> {
  const news = report.slices.filter((slice) => {
    const was = before.get(slice.key);
    const changed = (slice.error ?? null) !== (was?.error ?? null) || slice.appliedRevision !== (was?.applied ?? 0);
    return changed || slice.crashLoops !== undefined;
  });
  if (news.length === 0) return;
  const rows = await effect.kysely
    .selectFrom('cluster_slice')
    .select(['key', 'name', 'revision', 'removed_at'])
    .where('cluster_id', '=', cluster.id)
    .where(
      'key',
      'in',
      news.map(({ key }) => key),
    )
    .execute();
  const wanted = new Map(rows.map((row) => [row.key, row]));
  for (const { key, error, appliedRevision, crashLoops = [] } of news) {
    const slice = wanted.get(key);
    if (slice === undefined || slice.removed_at !== null) continue;
    const { name, revision } = slice;
    const was = before.get(key);
    for (const loop of crashLoops) await crashLoopEvent(effect, cluster, { key, name, revision, ...loop });
    if (error !== undefined) {
      if (was?.error == null)
        await workloadEvent(effect, cluster, 'workload.failed', key, revision, {
          key,
          name,
          error: error.slice(0, longestTrouble),
        });
      continue;
    }
    if (was?.error != null) await workloadEvent(effect, cluster, 'workload.recovered', key, revision, { key, name });
    if (appliedRevision >= revision && (was?.applied ?? 0) < revision) {
      await workloadEvent(effect, cluster, 'workload.applied', key, revision, { key, name });
    }
  }
}

/** A deployment hears of each phase and of its failure once, and not of each text. */
export async function tellOfRollouts(
  effect: Effect,
  cluster: ClusterRef,
  { slices }: Report,
  before: Before,
): Promise<void> {
  const news = slices.flatMap(({ key, rollout }) => {
    if (rollout === undefined) return [];
    const was = before.get(key)?.rollout;
    const same = was?.id === rollout.id && was.phase === rollout.phase;
    return same && isDeepStrictEqual(rollout.failure, was?.failure) ? [] : [{ key, rollout }];
  });
  await tellRollouts(effect, cluster, news);
}

/** Once for each revision of a slice: one that fails and recovers all the time tells it once. */
export async function workloadEvent(
  effect: Effect,
  { id: clusterId, organizationId }: ClusterRef,
  kind: 'workload.applied' | 'workload.removed' | 'workload.failed' | 'workload.recovered',
  key: string,
  revision: number,
  payload: JsonObject,
): Promise<void> {
  const occasion = `${kind} ${key} ${revision}`;
  await insertClusterEvent(effect, { organizationId, clusterId, kind, occasion, payload: { ...payload, revision } });
}

/** Once an hour for each process and revision, however often it begins and ends. */
async function crashLoopEvent(
  effect: Effect,
  { id: clusterId, organizationId }: ClusterRef,
  loop: CrashLoop & { key: string; name: string; revision: number },
): Promise<void> {
  const hour = new Date().toISOString().slice(0, 13);
  const occasion = `instance.crash_loop ${loop.key} ${loop.process} ${loop.revision} ${hour}`;
  const payload = { ...loop, how: loop.how.slice(0, longestTrouble) };
  await insertClusterEvent(effect, { organizationId, clusterId, kind: 'instance.crash_loop', occasion, payload });
}

/** Tells that the disk came under pressure, or that this is over. Whether it changed. */
export async function tellOfDisk(
  effect: Effect,
  { id: clusterId, organizationId }: ClusterRef,
  incarnation: number,
  { number, disk }: Report,
  before: JsonObject | null,
): Promise<boolean> {
  if (disk === undefined || disk.pressure === (before?.pressure === true)) return false;
  const { availableBytes, capacityBytes, pressure } = disk;
  return await insertClusterEvent(effect, {
    ...{ clusterId, organizationId, kind: pressure ? 'disk.pressure' : 'disk.relieved' },
    occasion: `disk ${incarnation} ${number}`,
    payload: { availableBytes, capacityBytes },
  });
}
