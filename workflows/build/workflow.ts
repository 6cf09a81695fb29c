/**
 * The build of an image, from its place in the queue to its deployment.
 *
 * Identity: `build/<id of its row>`; the command that the agent gets has the same id.
 *
 * States: queued until its turn on the cluster comes; running from its claim, with which the agent is asked to build. When the agent
 * has pushed the image, a release of it is composed with the settings that are applied then, and its deployment is requested.
 *
 * Ends as: succeeded, even where nothing may be deployed, which the row then says; failed with the agent's reason;
 * cancelled; superseded by a newer commit while it was queued. The agent's command always ends, by its result or its loss.
 *
 * Cancelling: a person may at any time; the row decides and says so. Of a running build the agent ends all processes.
 * Cancelling the workflow is an operator's act: the row fails with a message, and the agent is asked to stop.
 */
import { condition, defineQuery, log, proxyActivities, setHandler } from '@temporalio/workflow';
import type { BuildActivities, BuildSays } from '../../activities/build.ts';
import { type BuildState, isBuildFinal } from '../../domain/builds/states.ts';
import type { Deed } from '../commanded.ts';
import { actorFrame, type Frame, type Interruption, sentenceOf } from '../frame.ts';
import { Mailbox } from '../mailbox.ts';
import { showPhase } from '../phase.ts';
import { type BuildInput, buildDescriptor } from './descriptor.ts';
import { type BuildActor, begin, buildMessages, endOf, hear, next } from './state.ts';

export const view = defineQuery<BuildActor>('view');

/** A message may be lost with a database that is restored, and a cluster comes back without a word to those who wait for it. */
const claimedAgainAfter = '2 minutes';

const { claimBuild, stopBuild, releaseBuild, finishBuild } = proxyActivities<BuildActivities>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
});

/** The host of a commit is told of its build. One that does not answer delays nobody but the end of this workflow. */
const { tellHost } = proxyActivities<BuildActivities>({
  startToCloseTimeout: '15s',
  scheduleToCloseTimeout: '45s',
  retry: { initialInterval: '2s', maximumAttempts: 3 },
});

export async function build(input: BuildInput): Promise<BuildState> {
  const { buildId, organizationId } = input;
  const ref = { buildId, organizationId };
  const mailbox = new Mailbox(buildMessages, input.waiting);
  let actor = begin(input);
  let telling: Promise<unknown> | undefined;
  setHandler(view, () => listen());
  return await actorFrame<BuildState, BuildInput>({
    kind: 'build',
    rowId: buildId,
    organizationId,
    input,
    mailbox,
    now: nextInput,
    live,
    fail,
  });

  async function live(frame: Frame): Promise<BuildState> {
    while (!isBuildFinal(actor.phase)) {
      const deed = next(listen());
      if (deed !== undefined) await perform(deed, frame);
      else {
        const waits = () => frame.isDue || next(listen()) !== undefined;
        // The command's end is always told; a place that has become free need not be.
        if (actor.phase === 'running') await condition(waits);
        else if (!(await condition(waits, claimedAgainAfter))) actor = { ...actor, called: true };
        await frame.attend();
      }
    }
    if (telling !== undefined) {
      tell();
      await telling;
    }
    return actor.phase;
  }

  /** One after the other, so that the last word is the last. */
  function tell(): void {
    const state = actor.phase;
    telling = (telling ?? Promise.resolve()).then(() => tellHost({ ...ref, state })).catch(() => undefined);
  }

  async function perform(deed: Deed, frame: Frame): Promise<void> {
    const revision = actor.revision + 1;
    if (deed === 'stop') {
      actor = { ...actor, stopping: true };
      await stopBuild(ref);
    } else if (deed === 'claim') {
      actor = { ...actor, called: false };
      const claimed = await claimBuild({ ...ref, revision });
      await adopt(frame, claimed);
      actor = { ...actor, ended: actor.ended ?? claimed.ended };
      // Only where the claim says so: what was recorded before there were hosts to tell replays.
      if (claimed.tells === true && telling === undefined) tell();
    } else if (deed === 'cancel') {
      await adopt(
        frame,
        await finishBuild({ ...ref, revision, state: 'cancelled', message: 'The build was cancelled.' }),
      );
    } else if (actor.ended !== null) {
      const end = endOf(actor.ended);
      if (end.state === 'succeeded') await releaseBuild(ref);
      await adopt(frame, await finishBuild({ ...ref, revision, ...end }));
    }
  }

  async function adopt(frame: Frame, row: BuildSays): Promise<void> {
    await frame.obey(row);
    const { state, revision } = row;
    if (state !== actor.phase) showPhase(state);
    actor = { ...actor, phase: state, revision };
  }

  function listen(): BuildActor {
    for (let message = mailbox.take(); message !== undefined; message = mailbox.take()) actor = hear(actor, message);
    return actor;
  }

  function nextInput(): BuildInput {
    const { phase, revision, cancelling, heard } = listen();
    return { ...ref, state: phase, revision, cancelRequested: cancelling, heard: [...heard] };
  }

  async function fail(interruption: Interruption): Promise<BuildState> {
    const message = sentenceOf(interruption, buildDescriptor.interrupted);
    log.error('The build ends as failed', { message });
    await stopBuild(ref);
    const row = await finishBuild({ ...ref, revision: actor.revision + 1, state: 'failed', message, lastWord: true });
    return row.state;
  }
}
