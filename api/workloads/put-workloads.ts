import { createHmac } from 'node:crypto';
import type { ClusterView } from '../../db/clusters/clusters.ts';
import type { Effect } from '../../db/engine/effect.ts';
import {
  type AppliedSlice,
  applySlice,
  compareSlice,
  findSlice,
  listSlices,
  removeSlice,
} from '../../db/workloads/cluster-slices.ts';
import { findObservedSlice } from '../../db/workloads/observed-slices.ts';
import type { AuditAction } from '../../domain/audit-actions.ts';
import { type FieldError, Problem } from '../../domain/problems.ts';
import { invalidFields } from '../engine/input/input.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { presentWorkload, sliceKeyOf, type WorkloadBody } from './workload.ts';

type Parts = Pick<ServerParts, 'keyring' | 'settings'>;

/** Refuses a request with all that is wrong in it. */
export function refuseFaults(errors: FieldError[]): void {
  if (errors.length > 0) throw invalidFields(errors.slice(0, 100));
}

type Change = AppliedSlice['change'];

/**
 * Puts a workload on a cluster, whatever was there by that name. One that is there already is left alone, unless it
 * failed or means an image that may be another one by now.
 */
export async function putWorkload(
  effect: Effect,
  { keyring, settings }: Parts,
  cluster: ClusterView,
  name: string,
  body: WorkloadBody,
) {
  const key = sliceKeyOf(name);
  if (!cluster.schedulable) await refuseNew(effect, cluster, name);
  const release = body.release ?? (await releaseOf({ keyring }, cluster.organizationId, body));
  const workload = { ...body, release, routes: [] };
  const ingressDomain = settings.INGRESS_DOMAIN;
  const observed = () => findObservedSlice(effect.kysely, cluster, key);
  const mayBeAnother = async () => isOpenLayout(body) || ((await observed())?.error ?? null) !== null;
  const wanted = { key, name, workload, ingressDomain };
  const { revision, change } = await applySlice(effect, keyring, cluster, wanted, mayBeAnother);
  if (change !== 'unchanged') {
    note(effect, cluster, 'workload.applied', name, {
      revision,
      release,
      processes: body.processes.map((process) => process.name),
      environment: Object.keys(body.environment).toSorted(),
    });
  }
  const slice = await findSlice(effect.kysely, cluster, key);
  if (slice === undefined) throw new Error(`The workload ${name} that was just applied is not there.`);
  return { change, item: presentWorkload(cluster, slice, await observed()) };
}

/** A dry run of `putWorkload`: refuses the same, and changes nothing. */
export async function compareWorkload(
  effect: Effect,
  { keyring }: Parts,
  cluster: ClusterView,
  name: string,
  body: WorkloadBody,
): Promise<Change> {
  if (!cluster.schedulable) await refuseNew(effect, cluster, name);
  const release = body.release ?? (await releaseOf({ keyring }, cluster.organizationId, body));
  const workload = { ...body, release, routes: [] };
  const change = await compareSlice(effect, keyring, cluster, { key: sliceKeyOf(name), name, workload });
  return change === 'unchanged' && isOpenLayout(body) ? 'again' : change;
}

/** The content of such a layout is known on the cluster alone. */
function isOpenLayout({ image }: WorkloadBody): boolean {
  return 'layout' in image && image.digest === undefined;
}

/** Existing workloads may be changed even then: an operator has to be able to repair them. */
async function refuseNew(effect: Effect, cluster: ClusterView, name: string): Promise<void> {
  const slice = await findSlice(effect.kysely, cluster, sliceKeyOf(name));
  if (slice !== undefined && slice.removedAt === null) return;
  throw new Problem(
    'conflict',
    `The cluster "${cluster.name}" accepts no new workloads such as "${name}": choose another cluster, or make it schedulable again.`,
  );
}

/** `false`: there is none by that name. */
export async function takeWorkload(effect: Effect, cluster: ClusterView, name: string): Promise<boolean> {
  const key = sliceKeyOf(name);
  const removed = await removeSlice(effect, cluster, key);
  if (removed === undefined) return false;
  note(effect, cluster, 'workload.removed', name, { revision: removed.revision });
  return true;
}

/** The names of the cluster's workloads, without those that other parts of the product put there. */
export async function workloadNames(effect: Effect, cluster: ClusterView): Promise<string[]> {
  const names: string[] = [];
  const limit = 1_000;
  for (let after: string | undefined; ; ) {
    const slices = await listSlices(effect.kysely, cluster, { limit, after });
    const present = slices.filter(({ key, name, removedAt }) => key === sliceKeyOf(name) && removedAt === null);
    names.push(...present.map(({ name }) => name));
    after = slices.at(-1)?.key;
    if (slices.length < limit) return names;
  }
}

/**
 * The name of a release that nobody gave one: it follows from all that is run, how often aside. Keyed, since values that
 * are secret go into it and the name is seen by all.
 */
async function releaseOf(
  { keyring }: Pick<Parts, 'keyring'>,
  organizationId: string,
  { image, processes, environment, volumes }: WorkloadBody,
): Promise<string> {
  // How long something must be stable restarts nothing; it is 0 here because that was its default in earlier names.
  const run = processes.map((process) => ({ ...process, replicas: undefined, stabilizationSeconds: 0 }));
  const variables = Object.entries(environment).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify([image, run, variables, volumes]);
  const secret = await keyring.derivedSecret(organizationId, 'names of releases');
  return createHmac('sha256', secret).update(text).digest('hex').slice(0, 12);
}

function note(
  effect: Effect,
  cluster: ClusterView,
  action: AuditAction,
  name: string,
  details: Record<string, string | number | string[]>,
): void {
  effect.audit(
    action,
    { organizationId: cluster.organizationId, id: `${cluster.id} ${sliceKeyOf(name)}`, name },
    { cluster: cluster.slug, ...details },
  );
}
