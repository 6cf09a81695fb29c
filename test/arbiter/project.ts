import { decide } from '../../domain/deployments/arbiter.ts';
import type {
  Admission,
  AdmissionEvent,
  Admitted,
  Decision,
  New,
  Snapshot,
} from '../../domain/deployments/arbiter-types.ts';
import { carryOut } from './carry-out.ts';

/** A project that takes events one after the other. */
export class Project {
  snapshot: Snapshot;
  /** Every deployment by id: its state and blocker, or the final state. */
  readonly rows: Record<string, string> = {};

  constructor(concurrency = 10, suspended: readonly string[] = []) {
    this.snapshot = {
      concurrency,
      deployments: [],
      building: new Set(),
      suspended: new Set(suspended),
      live: new Map(),
    };
  }

  decide(event: AdmissionEvent): Decision {
    return decide(this.snapshot, event);
  }

  /** The event must not be refused. */
  take(event: AdmissionEvent): Admission {
    const decision = this.decide(event);
    if ('refused' in decision) throw new Error(`${event.event} is refused: ${decision.refused}`);
    this.snapshot = carryOut(this.snapshot, decision);
    for (const { id, state } of decision.update) if (state !== undefined) this.rows[id] = state;
    for (const one of this.snapshot.deployments) this.rows[one.id] = [one.state, one.blocker].filter(Boolean).join(' ');
    return decision;
  }

  create(...deployments: readonly (Partial<New> & { id: string })[]): Admission {
    return this.take({ event: 'create', deployments: deployments.map(requested) });
  }

  running(...ids: readonly string[]): void {
    for (const id of ids) {
      if (!(id in this.rows)) this.create({ id, place: id });
      this.take({ event: 'claim', id });
    }
  }

  reaches(id: string, state: Admitted['state']): void {
    const deployments = this.snapshot.deployments.map((one) => (one.id === id ? { ...one, state } : one));
    this.snapshot = { ...this.snapshot, deployments };
  }
}

function requested(one: Partial<New> & { id: string }): New {
  return { place: 'web', releaseId: `release of ${one.id}`, kind: 'deploy', queue: true, ...one };
}

export const create = (...deployments: readonly (Partial<New> & { id: string })[]): AdmissionEvent => ({
  event: 'create',
  deployments: deployments.map(requested),
});
export const cancel = (id: string): AdmissionEvent => ({ event: 'cancel', id, because: 'person' });
export const claim = (id: string): AdmissionEvent => ({ event: 'claim', id });
export const approve = (approvalId: string): AdmissionEvent => ({ event: 'decide', approvalId, decision: 'approved' });
