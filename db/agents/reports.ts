import { type Kysely, sql } from 'kysely';
import { actorId } from '../../domain/actors/actors.ts';
import { Problem } from '../../domain/problems.ts';
import type { ClusterRef } from '../clusters/clusters.ts';
import type { Effect } from '../engine/effect.ts';
import type { JsonObject, JsonValue } from '../postgres/json.ts';
import type { Tables } from '../postgres/tables.ts';
import { longestTrouble, type Report } from './report.ts';
import { type Before, tellOfDisk, tellOfRollouts, tellOfWorkloads, workloadEvent } from './report-events.ts';

/** Upper bound on the workloads kept of one cluster, far above any real one. */
const mostSlices = 2_000;
const mostBytes = 64 * 1024 * 1024;

/**
 * Writes down what the agent of this incarnation sees. One that was seen already changes nothing; `superseded` says that
 * a later incarnation has spoken. `changed`: whoever looks at the cluster is to look again. `mayTellTrouble` is asked
 * before the actor is told that there is trouble, another one, or none.
 */
export async function acceptReport(
  effect: Effect,
  cluster: ClusterRef,
  incarnation: number,
  report: Report,
  mayTellTrouble: () => boolean,
): Promise<'changed' | 'unchanged' | 'superseded'> {
  const { kysely } = effect;
  const agent = await kysely
    .selectFrom('cluster_agent')
    .select(['incarnation', 'report_number', 'applied_revision', 'error', 'facts', 'told_trouble', 'disk'])
    .where('cluster_id', '=', cluster.id)
    .forUpdate()
    .executeTakeFirst();
  if (agent?.incarnation !== incarnation) return 'superseded';
  if (report.number <= agent.report_number) return 'unchanged';
  const before = await observedBefore(kysely, cluster, report);
  const written = await writeSlices(kysely, cluster, report.slices);
  const gone = await deleteGone(kysely, cluster, report);
  if (written > 0) await refuseTooMuch(kysely, cluster);
  const removed = await deleteTombstones(effect, cluster, report.appliedRevision);
  await tellOfWorkloads(effect, cluster, report, before);
  await tellOfRollouts(effect, cluster, report, before);
  const pressed = await tellOfDisk(effect, cluster, incarnation, report, agent.disk);
  const trouble = await troubleNow(kysely, cluster, report.error, agent.facts);
  const tells = trouble !== agent.told_trouble && mayTellTrouble();
  if (tells) {
    effect.tell({
      to: actorId('cluster', cluster.id),
      message: 'trouble',
      organizationId: cluster.organizationId,
      body: { text: trouble },
    });
  }
  const error = report.error?.slice(0, longestTrouble) ?? null;
  await kysely
    .updateTable('cluster_agent')
    .set({
      report_number: report.number,
      applied_revision: report.appliedRevision,
      error,
      ...(report.disk === undefined ? {} : { disk: report.disk }),
      told_trouble: tells ? trouble : agent.told_trouble,
      last_heartbeat_at: sql`now()`,
    })
    .where('cluster_id', '=', cluster.id)
    .execute();
  const same =
    written + gone + removed === 0 &&
    !pressed &&
    error === agent.error &&
    report.appliedRevision === agent.applied_revision;
  return same ? 'unchanged' : 'changed';
}

/** Deletes everything known of the machine: the observed workloads, and the desired ones marked as removed. */
export async function forgetMachine(effect: Effect, cluster: ClusterRef): Promise<void> {
  await effect.kysely.deleteFrom('observed_slice').where('cluster_id', '=', cluster.id).execute();
  await deleteTombstones(effect, cluster, 2_147_483_647);
}

async function observedBefore(kysely: Kysely<Tables>, { id }: ClusterRef, { slices }: Report): Promise<Before> {
  if (slices.length === 0) return new Map();
  const rows = await kysely
    .selectFrom('observed_slice')
    .select(['key', 'error', 'applied_revision', 'rollout'])
    .where('cluster_id', '=', id)
    .where(
      'key',
      'in',
      slices.map(({ key }) => key),
    )
    .execute();
  return new Map(
    rows.map((row) => [row.key, { error: row.error, applied: row.applied_revision, rollout: row.rollout }]),
  );
}

/** Only what differs, in one statement. How many differed. */
async function writeSlices(kysely: Kysely<Tables>, cluster: ClusterRef, slices: Report['slices']): Promise<number> {
  if (slices.length === 0) return 0;
  // The last word on a slice counts, should a report name it twice.
  const rows = [...new Map(slices.map((slice) => [slice.key, slice])).values()];
  const columns = sql.raw('(applied_revision, revision, error, instances, volumes, traffic, rollout)');
  const { numAffectedRows } = await sql`
    insert into observed_slice
      (cluster_id, key, organization_id, applied_revision, revision, error, instances, volumes, traffic, rollout)
    select ${cluster.id}::uuid, key, ${cluster.organizationId}::uuid, "appliedRevision", revision, error, instances,
           volumes, traffic, rollout
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as slice
      (key text, "appliedRevision" int, revision int, error text, instances jsonb, volumes jsonb, traffic jsonb,
       rollout jsonb)
    on conflict (cluster_id, key) do update
    set ${columns} = (excluded.applied_revision, excluded.revision, excluded.error, excluded.instances,
                      excluded.volumes, excluded.traffic, excluded.rollout),
        observed_at = now()
    where (observed_slice.applied_revision, observed_slice.revision, observed_slice.error, observed_slice.instances,
           observed_slice.volumes, observed_slice.traffic, observed_slice.rollout)
      is distinct from
          (excluded.applied_revision, excluded.revision, excluded.error, excluded.instances, excluded.volumes,
           excluded.traffic, excluded.rollout)
  `.execute(kysely);
  return Number(numAffectedRows ?? 0);
}

/** An agent may say what it likes of its own cluster, but not fill the disk with it. */
async function refuseTooMuch(kysely: Kysely<Tables>, { id }: ClusterRef): Promise<void> {
  const { rows } = await sql<{ slices: number; bytes: number }>`
    select count(*)::int as slices,
      coalesce(sum(pg_column_size(instances) + pg_column_size(volumes) + pg_column_size(traffic)
        + coalesce(pg_column_size(rollout), 0) + coalesce(pg_column_size(error), 0)), 0)::float8 as bytes
    from observed_slice where cluster_id = ${id}
  `.execute(kysely);
  const { slices = 0, bytes = 0 } = rows[0] ?? {};
  if (slices <= mostSlices && bytes <= mostBytes) return;
  throw new Problem(
    'body-too-large',
    `The agent reported more than ${mostSlices} workloads, the most that is stored for a cluster.`,
  );
}

async function deleteGone(kysely: Kysely<Tables>, { id }: ClusterRef, report: Report): Promise<number> {
  const { full, removed, slices } = report;
  if (!full && removed.length === 0) return 0;
  const keys = full ? slices.map(({ key }) => key) : [...removed];
  const { numAffectedRows } = await sql`
    delete from observed_slice
    where cluster_id = ${id} and ${full ? sql`not (key = any(${keys}::text[]))` : sql`key = any(${keys}::text[])`}
  `.execute(kysely);
  return Number(numAffectedRows ?? 0);
}

/** Removed workloads that the agent no longer reports are deleted, with their host names. */
async function deleteTombstones(effect: Effect, cluster: ClusterRef, appliedRevision: number): Promise<number> {
  const { rows } = await sql<{ key: string; name: string; revision: number }>`
    delete from cluster_slice slice
    where cluster_id = ${cluster.id} and removed_at is not null and revision <= ${appliedRevision}
      and not exists (
        select from observed_slice observed where observed.cluster_id = slice.cluster_id and observed.key = slice.key)
    returning key, name, revision
  `.execute(effect.kysely);
  for (const { key, name, revision } of rows) {
    for (const table of ['ingress_host', 'internal_port'] as const) {
      await effect.kysely.deleteFrom(table).where('cluster_id', '=', cluster.id).where('key', '=', key).execute();
    }
    await workloadEvent(effect, cluster, 'workload.removed', key, revision, { key, name });
  }
  return rows.length;
}

/** The reason why the cluster is degraded, in a sentence. */
async function troubleNow(
  kysely: Kysely<Tables>,
  { id }: ClusterRef,
  error: string | undefined,
  facts: JsonObject | null,
): Promise<string | null> {
  if (error !== undefined) return error.slice(0, longestTrouble);
  const failing = await kysely
    .selectFrom('observed_slice as observed')
    .leftJoin('cluster_slice as slice', (join) =>
      join.onRef('slice.cluster_id', '=', 'observed.cluster_id').onRef('slice.key', '=', 'observed.key'),
    )
    .select(['observed.key', 'observed.error', 'slice.name'])
    .where('observed.cluster_id', '=', id)
    .where('observed.error', 'is not', null)
    .orderBy('observed.key')
    .limit(1)
    .executeTakeFirst();
  if (failing !== undefined) {
    const { name, error } = { name: failing.name ?? failing.key, error: failing.error ?? '' };
    // Some sentences name the workload themselves: "billing/web is in a crash loop".
    return (error.startsWith(`${name}/`) ? error : `${name}: ${error}`).slice(0, longestTrouble);
  }
  const nodes: JsonValue = facts?.nodes ?? [];
  const absent = (Array.isArray(nodes) ? nodes : []).flatMap((node) =>
    typeof node === 'object' && node !== null && !Array.isArray(node) && node.ready === false
      ? [String(node.name)]
      : [],
  );
  return absent.length === 0 ? null : `Not ready: ${absent.join(', ')}.`.slice(0, longestTrouble);
}
