import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { endSentence, waitingSentence } from '../../domain/deployments/admission-words.ts';
import type { Admission } from '../../domain/deployments/arbiter-types.ts';
import { type DeploymentEventKind, isDeploymentFinal } from '../../domain/deployments/states.ts';
import type { Effect } from '../engine/effect.ts';
import { prepared } from '../postgres/prepared-statements.ts';
import type { AdmissionRequest } from './admission-requests.ts';
import type { Loaded, ProjectRef } from './admission-snapshot.ts';
import type { Written } from './admission-writes.ts';

interface Happened {
  deploymentId: string;
  kind: DeploymentEventKind;
  /** Unique for the deployment. What can happen again carries the revision of the row. */
  occasion: string;
  blocker?: string;
  message?: string;
  decision?: string;
  decidedBy?: string;
}

/** Tells people what an event did to each deployment. */
export async function tellEvents(
  effect: Effect,
  { organizationId }: ProjectRef,
  loaded: Loaded,
  admission: Admission,
  written: readonly Written[],
  request: AdmissionRequest,
): Promise<void> {
  const happened = [
    ...created(effect, loaded, admission, request),
    ...written.flatMap((row) => changed(effect, row, admission, request)),
  ];
  if (happened.length === 0) return;
  const column = <T>(of: (one: Happened) => T): T[] => happened.map(of);
  await sql`${sql.raw(prepared)}
    insert into deployment_event (id, organization_id, deployment_id, kind, occasion, blocker, message, decision, decided_by)
    select new.id, ${organizationId}, new.deployment_id, new.kind, new.occasion, new.blocker, new.message, new.decision,
      new.decided_by
    from unnest(
      ${column(() => uuid())}::uuid[], ${column((one) => one.deploymentId)}::uuid[], ${column((one) => one.kind)}::text[],
      ${column((one) => one.occasion)}::text[], ${column((one) => one.blocker ?? '')}::text[],
      ${column((one) => one.message ?? '')}::text[], ${column((one) => one.decision ?? '')}::text[],
      ${column((one) => one.decidedBy ?? '')}::text[]
    ) as new (id, deployment_id, kind, occasion, blocker, message, decision, decided_by)
  `.execute(effect.kysely);
}

function created(
  { author }: Effect,
  { concurrency }: Loaded,
  { insert }: Admission,
  request: AdmissionRequest,
): Happened[] {
  if (request.event !== 'create') return [];
  return insert.flatMap(({ id, blocker }): Happened[] => {
    const { requestedBy = author } = request.deployments.find((one) => one.id === id) ?? {};
    const first = { deploymentId: id, kind: 'requested', occasion: 'requested' } as const;
    const requested = { ...first, message: `Requested by ${requestedBy.name}.` };
    const waits = { deploymentId: id, blocker, message: waitingSentence(blocker, concurrency) };
    if (blocker === '') return [requested];
    if (blocker === 'approval') {
      return [requested, { ...waits, kind: 'approval-requested', occasion: 'approval-requested' }];
    }
    return [requested, { ...waits, kind: 'blocked', occasion: 'blocked at 0' }];
  });
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
    const by = request.by === undefined ? {} : { decidedBy: request.by.name };
    happened.push({ deploymentId, kind: 'decided', occasion: 'decided', decision: request.decision, ...by });
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
