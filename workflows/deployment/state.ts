import {
  type DeploymentState,
  isDeploymentFinal,
  type RolloutPhase,
  rolloutPhases,
} from '../../domain/deployments/states.ts';
import type { MessageOf, Messages } from '../mailbox.ts';
import { fields, list, oneOf, text } from '../parse.ts';
import type { DeploymentInput } from './descriptor.ts';

/** How an instance of the new release failed, as the agent tells it. */
const failure = fields({ process: text });
const times = fields({}, Object.fromEntries(rolloutPhases.map((phase) => [phase, text])));

export const deploymentMessages = {
  /** A slot or its place has become free. */
  turn: fields({}),
  /** Its approval was decided: the row says how. */
  decided: fields({}),
  /** A person or a rollback asked it to end: the row says so. */
  cancel: fields({}),
  /** The agent's account of a rollout. */
  rollout: fields(
    { id: text, digest: text, phase: oneOf(...rolloutPhases), at: times },
    { message: text, failure, warnings: list },
  ),
} satisfies Messages;
export type DeploymentMessage = MessageOf<typeof deploymentMessages>;

/** What the agent told last of this deployment. */
export interface ToldRollout {
  phase: RolloutPhase;
  at: Record<string, unknown>;
  message?: string | undefined;
  failure?: Record<string, unknown> | undefined;
  /** What visitors of the new release get instead of it. */
  warnings?: readonly unknown[] | undefined;
}

/** The answer to the query `view`. */
export interface DeploymentView {
  state: DeploymentState;
  revision: number;
  phase: RolloutPhase | null;
}

export interface DeploymentActor {
  deploymentId: string;
  digest: string;
  state: DeploymentState;
  revision: number;
  /** Something was told that the row may know better. */
  woken: boolean;
  cancel: boolean;
  told: ToldRollout | undefined;
  /** The agent runs other content under this deployment's name. */
  foreign: boolean;
  heard: readonly string[];
}

const remembered = 200;

export function begin(input: DeploymentInput): DeploymentActor {
  const { deploymentId, digest, state = 'pending', revision = 0, cancelRequested, heard = [] } = input;
  return {
    ...{ deploymentId, digest, state, revision, heard },
    ...{ woken: false, cancel: cancelRequested, told: undefined, foreign: false },
  };
}

/** The input of a run that continues from here. */
export function inputFrom(input: DeploymentInput, actor: DeploymentActor): DeploymentInput {
  const { state, revision, cancel, heard } = actor;
  return { ...input, state, revision, cancelRequested: cancel, heard: [...heard] };
}

export function hear(actor: DeploymentActor, { message, told }: DeploymentMessage): DeploymentActor {
  if (actor.heard.includes(told.id)) return actor;
  const next = { ...actor, heard: [...actor.heard, told.id].slice(-remembered) };
  switch (message) {
    case 'turn':
    case 'decided':
      return { ...next, woken: true };
    case 'cancel':
      return { ...next, woken: true, cancel: true };
    case 'rollout':
      return roll(next, told.body);
  }
}

/** Phases only go forward; those of another deployment, or of other content, are none of this one. */
export function roll(actor: DeploymentActor, told: ToldRollout & { id: string; digest: string }): DeploymentActor {
  if (told.id !== actor.deploymentId) return actor;
  if (told.digest !== actor.digest) return { ...actor, foreign: true };
  const { phase, at, message, failure: failed, warnings } = told;
  const before = actor.told?.phase;
  if (before !== undefined && rolloutPhases.indexOf(phase) < rolloutPhases.indexOf(before)) return actor;
  return { ...actor, told: { phase, at, message, failure: failed, warnings } };
}

/** The word of the database about the row, which counts. */
export function adopt(actor: DeploymentActor, row: { state: DeploymentState; revision: number }): DeploymentActor {
  return { ...actor, state: row.state, revision: row.revision, woken: false };
}

const stateOf: Readonly<Record<RolloutPhase, DeploymentState>> = {
  preparing: 'preparing',
  releasing: 'releasing',
  starting: 'starting',
  checking: 'checking',
  switching: 'switching',
  draining: 'draining',
  done: 'live',
  returned: 'failed',
};

export type Step =
  | { do: 'wait' }
  | { do: 'show'; state: DeploymentState; told: ToldRollout }
  | { do: 'finish'; state: 'live' | 'failed' | 'cancelled'; told?: ToldRollout | undefined; message?: string };

const otherContent = 'The agent reports other content for this deployment than its release has.';

/** The next step of a claimed deployment. */
export function nextStep(actor: DeploymentActor): Step {
  if (isDeploymentFinal(actor.state)) return { do: 'wait' };
  const { told, cancel, foreign } = actor;
  const reached = told === undefined ? undefined : stateOf[told.phase];
  // The new release serves already: it is too late to cancel.
  if (told !== undefined && reached === 'live') return { do: 'finish', state: 'live', told };
  if (told !== undefined && reached === 'failed') return { do: 'finish', state: cancel ? 'cancelled' : 'failed', told };
  if (foreign) return { do: 'finish', state: 'failed', message: otherContent };
  if (cancel && actor.state !== 'draining' && reached !== 'draining') return { do: 'finish', state: 'cancelled', told };
  if (told === undefined || reached === undefined || reached === actor.state) return { do: 'wait' };
  return { do: 'show', state: reached, told };
}
