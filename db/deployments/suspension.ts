import { sql } from 'kysely';
import { type DeploymentState, isDeploymentClaimed } from '../../domain/deployments/states.ts';
import { atRest } from '../../domain/deployments/workload-of.ts';
import { moment } from '../../domain/history-steps/in-words.ts';
import { Problem } from '../../domain/problems.ts';
import type { Effect } from '../engine/effect.ts';
import type { JsonObject } from '../postgres/json.ts';
import { tenant } from '../postgres/tenant.ts';
import { recordService } from '../services/services.ts';
import { raiseDesired } from '../workloads/cluster-slices.ts';
import type { Secrets } from '../workloads/sealed-workload.ts';
import { admit, lockAdmission } from './admission.ts';
import { type DeploymentOptions, type ReleaseToDeploy, requestDeployment } from './request-deployment.ts';
import { type DeploymentRef, rolloutKey } from './rollout.ts';

/** A service in an environment, with the names that sentences need. */
export interface SuspensionPlace extends Omit<ReleaseToDeploy, 'id'> {
  service: string;
  environment: string;
}

/** The fate of deployments of a service that is to be suspended: all end, or those that roll may end by themselves. */
type EndOpen = 'cancel' | 'wait';

/** A deployment that is under way or waits at a place. */
interface OpenThere {
  id: string;
  kind: string;
  state: DeploymentState;
  number: number;
  waitsFor: string | null;
  changeSetId: string | null;
  approvalId: string | null;
  /** Who asked for it, or for the approval that it waits for, and when. */
  by: string;
  at: Date;
}

/** The one that rolls comes first. */
async function openThere(effect: Effect, place: SuspensionPlace): Promise<OpenThere[]> {
  const { organizationId, environmentId, serviceId } = place;
  return await tenant(effect.kysely, organizationId)
    .selectFrom('deployment')
    .innerJoin('release', 'release.id', 'deployment.release_id')
    .leftJoin('approval', 'approval.id', 'deployment.approval_id')
    .select(['deployment.id', 'deployment.kind', 'deployment.state', 'release.number'])
    .select(['deployment.waits_for as waitsFor', 'deployment.change_set_id as changeSetId'])
    .select('deployment.approval_id as approvalId')
    .select(sql<string>`coalesce(approval.requested_by_name, deployment.requested_by_name)`.as('by'))
    .select(sql<Date>`coalesce(approval.created_at, deployment.created_at)`.as('at'))
    .where('deployment.environment_id', '=', environmentId)
    .where('deployment.service_id', '=', serviceId)
    .where('deployment.finished_at', 'is', null)
    .orderBy(sql`deployment.state <> 'pending'`, 'desc')
    .orderBy('deployment.admission_order')
    .execute();
}

/** Refuses while changes of several services are decided on together, or nobody has said what becomes of what is open. */
function refuseOpen(place: SuspensionPlace, open: readonly OpenThere[], ending: EndOpen | undefined): void {
  const { service, environment } = place;
  const held = open.find(({ waitsFor, changeSetId }) => waitsFor === 'approval' && changeSetId !== null);
  if (held !== undefined) {
    throw new Problem(
      'conflict',
      `Changes of "${service}" wait for an approval in "${environment}", requested ${whose(held)}: approve, reject or withdraw the approval ${held.approvalId} first.`,
    );
  }
  const [first] = open;
  if (first === undefined || ending !== undefined) return;
  const release = `Release #${first.number} of "${service}"`;
  const [what, choice] =
    first.waitsFor === 'approval'
      ? [
          `${release} waits for an approval in "${environment}"`,
          `decide the approval ${first.approvalId} first, or suspend the service with \`deployments\` as \`cancel\` or \`wait\`, which both cancel the deployment ${first.id}`,
        ]
      : [
          `${release} is being deployed in "${environment}" (${first.state})`,
          `suspend the service with \`deployments\` as \`cancel\`, which cancels the deployment ${first.id}, or as \`wait\`, which lets it end once it has begun`,
        ];
  throw new Problem(
    'conflict',
    `${what}, requested ${whose(first)}: ${choice} (\`--cancel\` or \`--wait\` of \`./ballast service suspend\`).`,
  );
}

function whose({ by, at }: OpenThere): string {
  return `by ${by} on ${moment(at.toISOString())}`;
}

/**
 * Ends the deployments of a place. Those that have not begun are cancelled; one that rolls is asked to cancel, or goes on. False:
 * one still rolls, and the workload is its own until it ends.
 */
async function endOpen(
  effect: Effect,
  place: SuspensionPlace,
  open: readonly OpenThere[],
  how: EndOpen,
): Promise<boolean> {
  for (const { id, kind, state } of open) {
    const rolls = isDeploymentClaimed(state);
    if (rolls && how === 'wait' && kind !== 'resume') continue;
    const decision = await admit(effect, place, { event: 'cancel', id, because: 'person' });
    // Its release serves already, so that it ends by itself in a moment; a resumption would end the suspension then.
    if ('refused' in decision && kind === 'resume') {
      throw new Problem(
        'conflict',
        `"${place.service}" is just being resumed in "${place.environment}": suspend it once that is live.`,
      );
    }
  }
  return !open.some(({ state }) => isDeploymentClaimed(state));
}

type Running = JsonObject & { processes: (JsonObject & { replicas: number })[] };

/**
 * Lets nothing of a workload run, on whichever cluster it is. Its secrets stay sealed, so that a service whose key is missing
 * can be stopped, too.
 */
async function restWorkload(effect: Effect, organizationId: string, key: string): Promise<void> {
  const slices = await tenant(effect.kysely, organizationId)
    .selectFrom('cluster_slice')
    .select(['cluster_id as id'])
    .where('key', '=', key)
    .where('removed_at', 'is', null)
    .orderBy('cluster_id')
    .execute();
  for (const { id } of slices) {
    await raiseDesired(effect, { id, organizationId }, async (revision) => {
      const slice = () => tenant(effect.kysely, organizationId);
      const { workload } = await slice()
        .selectFrom('cluster_slice')
        .select('workload')
        .where('cluster_id', '=', id)
        .where('key', '=', key)
        .forUpdate()
        .executeTakeFirstOrThrow();
      await slice()
        .updateTable('cluster_slice')
        .set({ workload: atRest(workload as Running), revision, updated_at: sql`clock_timestamp()` })
        .where('cluster_id', '=', id)
        .where('key', '=', key)
        .execute();
    });
  }
}

interface SuspensionView {
  suspended: boolean;
  since: Date | null;
  by: string | null;
  liveReleaseId: string | null;
  /** The deployments that are under way or wait there, the one that rolls first. */
  open: OpenThere[];
}

/** How it stands, under the lock that all deployments of the project take. */
export async function lockSuspension(effect: Effect, place: SuspensionPlace): Promise<SuspensionView> {
  const { organizationId, environmentId, serviceId } = place;
  await lockAdmission(effect, place);
  const own = tenant(effect.kysely, organizationId);
  const row = await own
    .selectFrom('environment_service')
    .select(['suspended', 'suspended_at as since', 'suspended_by as by', 'live_release_id as liveReleaseId'])
    .where('environment_id', '=', environmentId)
    .where('service_id', '=', serviceId)
    .executeTakeFirst();
  const open = await openThere(effect, place);
  if (row === undefined) {
    const { service, environment } = place;
    // The first changes of it may wait for an approval.
    refuseOpen(place, open, undefined);
    throw new Problem('conflict', `"${service}" was never deployed in "${environment}": nothing of it runs there.`);
  }
  return { ...row, open };
}

/**
 * Stops a service in an environment: no instances, no schedules. Volumes, addresses, settings and the live release stay. What
 * somebody else has asked for is never dropped by it, unless `ending` says what becomes of deployments there: while one of them
 * rolls, its end stops the service, whatever it is. False: it is suspended already, and nothing is open.
 */
export async function suspend(effect: Effect, place: SuspensionPlace, ending?: EndOpen): Promise<boolean> {
  const { organizationId, projectId, environmentId, serviceId, service, environment } = place;
  const { suspended, open } = await lockSuspension(effect, place);
  refuseOpen(place, open, ending);
  if (suspended && open.length === 0) return false;
  const over = open.length === 0 || (await endOpen(effect, place, open, ending ?? 'wait'));
  if (!suspended) {
    await write(effect, place, {
      suspended: true,
      suspended_at: sql<Date>`clock_timestamp()`,
      suspended_by: effect.author.name,
    });
  }
  if (over) await restWorkload(effect, organizationId, rolloutKey(environmentId, serviceId));
  const details = { environment, ...(open.length === 0 || ending === undefined ? {} : { deployments: ending }) };
  recordService(effect, 'service.suspended', { id: serviceId, organizationId, projectId, name: service }, details);
  effect.change({ organizationId, projectId, kind: 'environment', id: environmentId });
  return true;
}

/** The end of a deployment at a place that was suspended while it rolled: nothing of the release that went live runs on. */
export async function restSuspended(effect: Effect, { deploymentId, organizationId }: DeploymentRef): Promise<void> {
  const { rows } = await sql<{ environmentId: string; serviceId: string }>`
    select place.environment_id as "environmentId", place.service_id as "serviceId" from deployment
    join environment_service place on place.organization_id = deployment.organization_id
      and place.environment_id = deployment.environment_id and place.service_id = deployment.service_id
    where deployment.organization_id = ${organizationId} and deployment.id = ${deploymentId} and place.suspended
  `.execute(effect.kysely);
  for (const { environmentId, serviceId } of rows) {
    await restWorkload(effect, organizationId, rolloutKey(environmentId, serviceId));
  }
}

/** Ends the suspension of a service of which nothing was ever live: there is nothing to start. */
async function endSuspension(effect: Effect, place: SuspensionPlace): Promise<void> {
  await write(effect, place, { suspended: false, suspended_at: null, suspended_by: null });
}

/**
 * A resumption that failed on its cluster ends the suspension, too: somebody wants the service to run, and has to be able to
 * deploy what mends it. One that was cancelled, or asked to, does not.
 */
export async function endSuspensionBy(effect: Effect, { deploymentId, organizationId }: DeploymentRef): Promise<void> {
  await sql`
    update environment_service place set suspended = false, suspended_at = null, suspended_by = null
    from deployment where deployment.organization_id = ${organizationId} and deployment.id = ${deploymentId}
      and deployment.kind = 'resume' and deployment.cancel_requested_at is null and place.organization_id = ${organizationId}
      and place.environment_id = deployment.environment_id and place.service_id = deployment.service_id
  `.execute(effect.kysely);
}

function recordResumed(effect: Effect, place: SuspensionPlace): void {
  const { organizationId, projectId, environmentId, serviceId, service, environment } = place;
  recordService(
    effect,
    'service.resumed',
    { id: serviceId, organizationId, projectId, name: service },
    { environment },
  );
  effect.change({ organizationId, projectId, kind: 'environment', id: environmentId });
}

async function write(effect: Effect, { organizationId, environmentId, serviceId }: SuspensionPlace, set: object) {
  await tenant(effect.kysely, organizationId)
    .updateTable('environment_service')
    .set(set)
    .where('environment_id', '=', environmentId)
    .where('service_id', '=', serviceId)
    .execute();
}

type Resumed =
  /** No deployment: the service runs already, or there is nothing to start. */
  | { deploymentId: undefined }
  /** The deployment that starts it, which may have been asked for before. */
  | { deploymentId: string };

/**
 * Starts again what ran, by a deployment of the live release that no approval holds. The service stays suspended until that is
 * live, so that one that is cancelled leaves it stopped; one that fails on the cluster ends the suspension, too.
 */
export async function resume(
  effect: Effect,
  keyring: Secrets,
  place: SuspensionPlace,
  { queue, answerableId }: Pick<DeploymentOptions, 'queue' | 'answerableId'>,
): Promise<Resumed | Extract<Awaited<ReturnType<typeof requestDeployment>>, { refused: string }>> {
  const { suspended, liveReleaseId: id, open } = await lockSuspension(effect, place);
  if (!suspended) return { deploymentId: undefined };
  const [first] = open;
  if (first?.kind === 'resume') return { deploymentId: first.id };
  // A deployment that was to end by the suspension has not ended yet: it goes on, or the live release does.
  if (id === null || first !== undefined) {
    await endSuspension(effect, place);
    recordResumed(effect, place);
    return { deploymentId: undefined };
  }
  const asked = { kind: 'resume', queue, answerableId, reason: '', downtimeAccepted: false } as const;
  const requested = await requestDeployment(effect, keyring, { ...place, id }, asked);
  if ('refused' in requested) return requested;
  recordResumed(effect, place);
  return { deploymentId: requested.deploymentId };
}
