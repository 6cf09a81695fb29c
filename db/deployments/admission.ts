import { sql } from 'kysely';
import { actorId } from '../../domain/actors/actors.ts';
import { decide } from '../../domain/deployments/arbiter.ts';
import { type Admission, type AdmissionEvent, type Decision, placeOf } from '../../domain/deployments/arbiter-types.ts';
import { isDeploymentFinal } from '../../domain/deployments/states.ts';
import type { Effect } from '../engine/effect.ts';
import { LockBusy, lockTimeout } from '../postgres/connection-failure.ts';
import { notifyEnded, tellEvents } from './admission/events.ts';
import type { AdmissionRequest } from './admission/snapshot.ts';
import { loadSnapshot, type ProjectRef, precedingNames } from './admission/snapshot.ts';
import { decideApprovals, insertDeployments, updateDeployments, type Written, writeLive } from './admission/writes.ts';

export type { AdmissionRequest, NewDeployment, ProjectRef } from './admission/snapshot.ts';

/**
 * The only way in which deployments are created, claimed, cancelled, decided on and finished: asks the arbiter under the
 * lock of the project, and writes all of its answer in this effect. A refusal writes nothing.
 */
export async function admit(effect: Effect, project: ProjectRef, request: AdmissionRequest): Promise<Decision> {
  await lockAdmission(effect, project);
  const loaded = await loadSnapshot(effect.kysely, project, request);
  const decision = decide(loaded, eventOf(request));
  if ('refused' in decision) return decision;
  const preceding = await precedingNames(effect, project, loaded, decision, request);
  await insertDeployments(effect, project, loaded, decision, request, preceding);
  const written = await updateDeployments(effect, project, loaded, decision, request, preceding);
  await writeLive(effect, project, loaded, decision);
  await decideApprovals(effect, project, decision, request);
  await tellEvents(effect, project, loaded, decision, written, request, preceding);
  await notifyEnded(effect, project, written, request.event === 'finish' ? request.warning : undefined);
  tellActors(effect, project, decision, written);
  tellPeople(effect, project, decision, written);
  return decision;
}

/** The projects that an effect has locked. */
const locks = new WeakMap<Effect, Set<string>>();

/**
 * Held until the effect ends. Who also writes rows of deployments, approvals or change sets in it takes the lock first:
 * in the other order two of them could wait for each other.
 */
export async function lockAdmission(effect: Effect, { projectId }: ProjectRef): Promise<void> {
  const held = locks.get(effect) ?? new Set();
  if (held.has(projectId)) return;
  const lock = `admission ${projectId}`;
  try {
    await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(effect.kysely);
  } catch (error) {
    throw lockTimeout(error) ? new LockBusy('The lock of the project was not free in time.', { cause: error }) : error;
  }
  locks.set(effect, held.add(projectId));
}

function eventOf(request: AdmissionRequest): AdmissionEvent {
  if (request.event !== 'create') return request;
  const deployments = request.deployments.map((one) => {
    const { id, releaseId, kind, queue, approvalId, changeSetId, environmentId, serviceId, after = [] } = one;
    return {
      ...{ id, releaseId, kind, queue, place: placeOf(environmentId, serviceId) },
      ...(approvalId === undefined ? {} : { approvalId }),
      ...(changeSetId === undefined ? {} : { changeSetId }),
      ...(after.length === 0 ? {} : { after }),
    };
  });
  return { event: 'create', deployments };
}

function tellActors(effect: Effect, project: ProjectRef, admission: Admission, written: readonly Written[]): void {
  const { organizationId } = project;
  const tell = (kind: string, id: string, message: string): void =>
    effect.tell({ to: actorId(kind, id), message, organizationId, body: {} });
  for (const { id } of admission.insert) effect.tell({ start: 'deployment', id, organizationId });
  for (const id of admission.wake) tell('deployment', id, 'turn');
  for (const id of admission.stop) tell('deployment', id, 'cancel');
  for (const id of admission.decided) tell('deployment', id, 'decided');
  const ended = written.filter(({ state }) => isDeploymentFinal(state)).map(({ before }) => before.changeSetId);
  for (const id of new Set(ended)) if (id !== undefined) tell('change-set', id, 'deploymentEnded');
}

function tellPeople(effect: Effect, project: ProjectRef, { insert }: Admission, written: readonly Written[]): void {
  const ids = [...insert.map(({ id }) => id), ...written.map(({ change }) => change.id)];
  for (const id of ids) effect.change({ ...project, kind: 'deployment', id });
}
