/**
 * The rollout of one release of a service in an environment.
 *
 * Identity: `deployment/<id>`.
 *
 * States: pending while it is held for an approval or waits for its turn; claimed by the arbiter, it has a slot and its
 * place, and the cluster's desired state names its release. From there the agent rolls and this actor watches: preparing,
 * releasing, starting, checking, switching and draining are the agent's words. Releasing, its release command runs: once,
 * by the agent's journal, and nothing of the release starts before it has ended well.
 *
 * Ends as: live, when the agent says that only the new release serves; failed, when the agent has returned to the release
 * before, or nothing was heard for too long; cancelled, superseded, rejected, expired by decisions that the row says.
 *
 * Cancelling: a person or a rollback may, until the switch. The row says so, and this actor returns the cluster to the
 * live release. Cancelling the workflow is an operator's act: the deployment fails with a message, and returns, too.
 */
import { type ActivityOptions, condition, defineQuery, log, proxyActivities, setHandler } from '@temporalio/workflow';
import type { DeploymentActivities } from '../../activities/deployment.ts';
import { type DeploymentState, isDeploymentFinal } from '../../domain/deployments/states.ts';
import { actorFrame, type Frame, type Interruption, sentenceOf } from '../frame.ts';
import { Mailbox } from '../mailbox.ts';
import { showPhase } from '../phase.ts';
import { type DeploymentInput, deploymentDescriptor, rolloutMillis } from './descriptor.ts';
import { adopt, begin, type DeploymentView, deploymentMessages, hear, inputFrom, nextStep, roll } from './state.ts';
import { quietMillis } from './words.ts';

export const view = defineQuery<DeploymentView>('view');

const retried: ActivityOptions = {
  startToCloseTimeout: '10s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' },
};
const { claimDeployment, expireDeployment, finishDeployment, lookAtRollout, showDeployment } =
  proxyActivities<DeploymentActivities>(retried);

export async function deployment(input: DeploymentInput): Promise<DeploymentState> {
  const { deploymentId, projectId, organizationId } = input;
  const ref = { deploymentId, projectId, organizationId };
  const allowed = rolloutMillis + (input.releaseSeconds ?? 0) * 1_000;
  let actor = begin(input);
  let againMillis = 0;
  let looks = 0;
  const mailbox = new Mailbox(deploymentMessages, input.waiting);
  setHandler(view, () => ({ state: actor.state, revision: actor.revision, phase: actor.told?.phase ?? null }));
  return await actorFrame<DeploymentState, DeploymentInput>({
    kind: 'deployment',
    rowId: deploymentId,
    organizationId,
    input,
    mailbox,
    now: () => inputFrom(input, actor),
    live,
    fail,
  });

  async function live(frame: Frame): Promise<DeploymentState> {
    while (actor.state === 'pending') await waitForTurn(frame);
    const deadline = Date.now() + allowed;
    // A run that begins in the middle has missed what the agent told before.
    if (actor.told === undefined && input.state !== undefined && input.state !== 'pending') await look();
    while (!isDeploymentFinal(actor.state)) await watch(frame, deadline);
    showPhase(actor.state);
    return actor.state;
  }

  /** The arbiter says whether it is its turn; if not, the row says what is waited for, until somebody tells of a change. */
  async function waitForTurn(frame: Frame): Promise<void> {
    listen();
    const { waitsFor, ...row } = await claimDeployment(ref);
    actor = adopt(actor, row);
    if (actor.state !== 'pending') return;
    const woken = () => {
      listen();
      return frame.isDue || actor.woken;
    };
    // Once it was approved, what it still waits for has no time of its own.
    if (input.expiresAt === null || waitsFor !== 'approval') await condition(woken);
    else if (!(await condition(woken, Math.max(againMillis, input.expiresAt - Date.now())))) {
      actor = adopt(actor, await expireDeployment(ref));
      // The database's clock decides: one that is behind is asked again later, not at once.
      againMillis = 60_000;
      return;
    }
    await frame.attend();
  }

  async function watch(frame: Frame, deadline: number): Promise<void> {
    listen();
    const step = nextStep(actor);
    if (step.do === 'show') {
      actor = adopt(actor, await showDeployment({ ...ref, state: step.state, told: step.told }));
      showPhase(actor.state);
    } else if (step.do === 'finish') {
      const { state, told, message } = step;
      const said = message === undefined ? {} : { message };
      actor = adopt(actor, await finishDeployment({ ...ref, state, told, ...said }));
    } else {
      const heard = await condition(
        () => {
          listen();
          return frame.isDue || nextStep(actor).do !== 'wait';
        },
        quietMillis[Math.min(looks, quietMillis.length - 1)],
      );
      if (!heard) looks += 1;
      if (!heard && Date.now() >= deadline) {
        const message = `Its agent did not finish it within ${Math.round(allowed / 60_000)} minutes.`;
        actor = adopt(actor, await finishDeployment({ ...ref, state: 'failed', message }));
      } else if (!heard) await look();
      await frame.attend();
    }
  }

  /** Asks the database for the agent's last report, and lets the row say what is waited for. */
  async function look(): Promise<void> {
    const { told, ...row } = await lookAtRollout(ref);
    if (told !== undefined) actor = roll(actor, told);
    actor = adopt(actor, row);
  }

  function listen(): void {
    for (let message = mailbox.take(); message !== undefined; message = mailbox.take()) actor = hear(actor, message);
  }

  async function fail(interruption: Interruption): Promise<DeploymentState> {
    const message = sentenceOf(interruption, deploymentDescriptor.interrupted);
    log.error('The deployment ends as failed', { message });
    return (await finishDeployment({ ...ref, state: 'failed', message, lastWord: true })).state;
  }
}
