import type { ApprovalDecision } from '../approvals/approvals.ts';
import type { ClaimedDeploymentState, DeploymentBlocker, DeploymentKind, DeploymentState } from './states.ts';

/** A service in an environment: `<environment's id>/<service's id>`. At most one deployment at a time rolls there. */
export type RolloutSlot = string;

export function placeOf(environmentId: string, serviceId: string): RolloutSlot {
  return `${environmentId}/${serviceId}`;
}

/** All that the arbiter knows of a project when it decides. */
export interface Snapshot {
  /** The project's slots. */
  concurrency: number;
  /** The project's deployments that are not final. */
  deployments: readonly Admitted[];
  /** Deployments that are still to come: each has the id of the open build that makes its image. */
  building: ReadonlySet<string>;
  /** Places whose service is suspended. */
  suspended: ReadonlySet<RolloutSlot>;
  /** The release that serves at each place. */
  live: ReadonlyMap<RolloutSlot, string>;
}

/** A deployment as it is requested. */
export interface New {
  id: string;
  place: RolloutSlot;
  releaseId: string;
  kind: DeploymentKind;
  /** The approval that holds it until it is decided. The caller decides whether a gate holds it. */
  approvalId?: string;
  changeSetId?: string;
  /**
   * Deployments of the same change set that are live before it begins, those that are still to come included. If one of them
   * ends otherwise, it is cancelled.
   */
  after?: readonly string[];
  /** Whether a direct start may wait for a slot. Members of change sets and those that were held always wait. */
  queue: boolean;
}

/** A deployment that is not final. */
export interface Admitted extends Omit<New, 'queue'> {
  /** The place in the queue: grows with each deployment of the project, or is that of one that it superseded. */
  order: number;
  state: 'pending' | ClaimedDeploymentState;
  /** Of a pending one: `approval` while it is held, else what it waits for, or empty when it is its turn. */
  blocker: DeploymentBlocker | '';
  cancelRequested: boolean;
}

/** How an approval is decided; superseded ones are closed by the arbiter itself. */
export type DecidedAs = Exclude<ApprovalDecision, 'superseded'>;

export type AdmissionEvent =
  /** One direct start, or members of one change set. Held are those with an approval. */
  | { event: 'create'; deployments: readonly New[] }
  /** Its actor asks whether it is its turn. */
  | { event: 'claim'; id: string }
  | { event: 'cancel'; id: string; because: 'person' | 'rollback' | 'superseded' }
  | { event: 'decide'; approvalId: string; decision: DecidedAs }
  /** Its actor says how it ended: a claimed one in any of these ways, one that waits can only fail. */
  | { event: 'finish'; id: string; state: 'live' | 'failed' | 'cancelled' }
  /** A build ended without a deployment: none will come by its id. */
  | { event: 'unbuilt'; id: string }
  /** Nothing happened to a deployment; the project's slots have changed. */
  | { event: 'review' };

/** Why an event changes nothing. */
export type Refusal =
  /** A direct start that may not wait, while all slots are taken. */
  | { refused: 'at-limit'; concurrency: number }
  | { refused: 'service-suspended'; places: readonly RolloutSlot[] }
  /** Cancelling is too late: its release serves already, or nobody may ask a claimed one for this reason. */
  | { refused: 'not-cancellable'; state: DeploymentState }
  /** The deployment is not among the open ones. */
  | { refused: 'already-final' }
  /** Only a claimed one can finish so. */
  | { refused: 'not-claimed'; state: DeploymentState };

export interface Change {
  id: string;
  state?: DeploymentState;
  /** Of one that ends: `dependency` if it ends because one before it did not go live. */
  blocker?: DeploymentBlocker | '';
  cancelRequested?: true;
  /** The place in the queue of one that it superseded. */
  order?: number;
  /** One that it waited for was superseded: now it waits for the later one. */
  after?: readonly string[];
}

/** The writes and messages of one event. Empty when the event has happened before. */
export interface Admission {
  insert: readonly Admitted[];
  update: readonly Change[];
  /** Waiting ones whose turn has come; told `turn`. Inserted ones claim by themselves when their actors start. */
  wake: readonly string[];
  /** Told `cancel`: they ended before their claim, or were asked to end. The row says which. */
  stop: readonly string[];
  /** Told `decided`: their approval was decided. Those that it admitted claim by themselves then. */
  decided: readonly string[];
  /** Approvals that lost their last deployment. */
  closed: readonly { approvalId: string; decision: 'superseded' | 'cancelled' }[];
  /** The place's release changed. */
  live?: { place: RolloutSlot; releaseId: string; deploymentId: string; before: string | undefined };
  /** Of a claim: `false` leaves it waiting for what its row says. */
  claimed?: boolean;
}

export type Decision = Refusal | Admission;
