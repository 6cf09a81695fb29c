import { endSentence, waitingSentence } from '../../../domain/deployments/admission-words.ts';
import type { Admission } from '../../../domain/deployments/arbiter-types.ts';
import { isDeploymentFinal } from '../../../domain/deployments/states.ts';
import type { Effect } from '../../engine/effect.ts';
import { type Happened, insertDeploymentEvents } from '../deployment-events.ts';
import type { Preceding } from './preceding.ts';
import type { AdmissionRequest, DecidedBy } from './requests.ts';
import type { Loaded, ProjectRef } from './snapshot.ts';
import type { Written } from './writes.ts';

/** Tells people what an event did to each deployment. */
export async function tellEvents(
  effect: Effect,
  { organizationId }: ProjectRef,
  loaded: Loaded,
  admission: Admission,
  written: readonly Written[],
  request: AdmissionRequest,
  preceding: Preceding,
): Promise<void> {
  const happened = [
    ...created(effect, loaded, admission, request, preceding),
    ...written.flatMap((row) => changed(effect, row, admission, request)),
  ];
  await insertDeploymentEvents(effect.kysely, organizationId, happened);
}

function created(
  { author }: Effect,
  { concurrency }: Loaded,
  { insert }: Admission,
  request: AdmissionRequest,
  preceding: Preceding,
): Happened[] {
  if (request.event !== 'create') return [];
  return insert.flatMap(({ id, blocker }): Happened[] => {
    const { requestedBy = author, said } = request.deployments.find((one) => one.id === id) ?? {};
    const first = { deploymentId: id, kind: 'requested', occasion: 'requested' } as const;
    const requested = { ...first, message: sentences(`Requested by ${requestedBy.name}.`, said) };
    const waits = { deploymentId: id, blocker, message: waitingSentence(blocker, concurrency, preceding(id)) };
    if (blocker === '') return [requested];
    if (blocker === 'approval') {
      return [requested, { ...waits, kind: 'approval-requested', occasion: 'approval-requested' }];
    }
    return [requested, { ...waits, kind: 'blocked', occasion: 'blocked at 0' }];
  });
}

function sentences(first: string, second = ''): string {
  return second === '' ? first : `${first} ${second}`;
}

function changed(
  { author }: Effect,
  { before, change, state, revision, waitsFor, message }: Written,
  { decided }: Admission,
  request: AdmissionRequest,
): Happened[] {
  const deploymentId = change.id;
  const happened: Happened[] = [];
  if (request.event === 'decide' && decided.includes(deploymentId)) {
    const { by, decision } = request;
    const who = by === undefined ? {} : { decidedBy: by.name, message: decidedSentence(by) };
    happened.push({ deploymentId, kind: 'decided', occasion: 'decided', decision, ...who });
  }
  if (change.cancelRequested === true) {
    const why = request.event === 'cancel' ? `Asked to cancel by ${author.name}.` : 'Asked to cancel by a rollback.';
    happened.push({ deploymentId, kind: 'cancel-requested', occasion: 'cancel-requested', message: why });
  }
  if (isDeploymentFinal(state)) {
    const why = message ?? endSentence(state, before.state === 'pending');
    happened.push({ deploymentId, kind: 'finished', occasion: 'finished', blocker: waitsFor ?? '', message: why });
  } else if (change.blocker !== undefined && state === 'pending') {
    if (waitsFor !== null) {
      const blocked = { kind: 'blocked', occasion: `blocked at ${revision}`, blocker: waitsFor } as const;
      happened.push({ deploymentId, ...blocked, message: message ?? '' });
    } else if (!decided.includes(deploymentId)) {
      const unblocked = { kind: 'unblocked', occasion: `unblocked at ${revision}`, blocker: before.blocker } as const;
      happened.push({ deploymentId, ...unblocked });
    }
  }
  return happened;
}

function decidedSentence({ name, brokenGlass, reason = '' }: DecidedBy): string {
  return brokenGlass === true ? `${name} passed the approval by break-glass: ${reason}` : reason;
}
