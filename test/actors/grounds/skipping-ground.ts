import type { WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll } from 'vitest';
import { actorId } from '../../../domain/actors/actors.ts';
import { searchAttributeNames } from '../../../temporal/connection/search-attributes.ts';
import { createDelivery } from '../../../temporal/delivery/delivery.ts';
import { type NewActor, startActor } from '../../../temporal/delivery/start-actor.ts';
import { until } from '../../ground/until.ts';
import { type ActorsGround, actorsGround, type Serving, serve } from '../actors.ts';
import { timeSkipping } from './time-skipping.ts';

export interface SkippingGround {
  ground: ActorsGround;
  /** Whether this machine can run a Temporal whose clock skips. */
  skips: boolean;
  skipping(): TestWorkflowEnvironment;
  /** Starts an actor there. Nothing else tells it anything: the relay and the other Temporal know nothing of it. */
  start(actor: Omit<NewActor, 'author' | 'again'>): Promise<WorkflowHandle>;
  /**
   * Lets so many milliseconds pass for an actor that waits. Nothing of it is under way then: an answer on its way while the
   * clock skips comes after its time limit, and the worker asks again minutes later by a clock that does not skip.
   */
  pass(actor: WorkflowHandle, milliseconds: number): Promise<void>;
  /** Tells an actor what its outbox has for it. */
  deliver(actor: WorkflowHandle): Promise<void>;
  /** Another worker serves from now on, which knows nothing of what the one before has in memory. */
  restart(serving: Serving): Promise<void>;
}

/** A Temporal whose clock skips and a worker of ours that serves it, for all tests of a file. */
export async function skippingGround(serving: () => Promise<Serving> = async () => ({})): Promise<SkippingGround> {
  const ground = await actorsGround();
  const environment = await timeSkipping(ground.keys);
  // Where all tests of a file are skipped, nothing of what follows is called at its end.
  if (!environment) await ground.close();
  const skipping = () => {
    if (!environment) throw new Error('There is no time-skipping server.');
    return environment;
  };
  let stopServing: () => Promise<void> = async () => undefined;
  const serveBy = async (next: Serving) => {
    const { address } = skipping();
    // An actor that finds its row ahead continues as new, and the run before it is archived from where it ran.
    stopServing = await serve({ address, namespace: 'default', tls: false }, { ...ground, temporal: temporal() }, next);
  };
  const temporal = () => {
    const { client, connection } = skipping();
    return { ...ground.temporal, client, connection, namespace: 'default' };
  };

  beforeAll(async () => {
    if (!environment) return;
    const { connection } = environment;
    const searchAttributes = Object.fromEntries(searchAttributeNames.map((name) => [name, 2]));
    await connection.operatorService.addSearchAttributes({ namespace: 'default', searchAttributes });
    await serveBy(await serving());
  });
  afterAll(async () => {
    if (!environment) return;
    await stopServing();
    await environment.teardown();
    await ground.close();
  });

  return {
    ground,
    skips: environment !== undefined,
    skipping,
    async start(actor) {
      const started = await startActor(temporal(), { ...actor, author: {} });
      if (started !== 'started') throw new Error(`${actor.kind} ${actor.rowId} was there already.`);
      return skipping().client.workflow.getHandle(actorId(actor.kind, actor.rowId));
    },
    async pass(actor, milliseconds) {
      await until(`${actor.workflowId} waits`, () => waits(actor));
      await skipping().sleep(milliseconds);
    },
    async deliver({ workflowId }) {
      const delivered = await createDelivery({ ...ground, temporal: temporal() }).deliver(workflowId);
      if (delivered !== 'delivered') throw new Error(`${workflowId} was told nothing: ${delivered}.`);
    },
    async restart(next) {
      await stopServing();
      await serveBy(next);
    },
  };
}

/**
 * Whether nothing of it is asked of the worker, nor answered by it. An activity that fails and is tried again stands in no
 * event: 60 days that skip have 170,000 attempts of it, and nobody would see why they take so long.
 */
async function waits(actor: WorkflowHandle): Promise<boolean> {
  const { raw } = await actor.describe();
  if (raw.pendingActivities?.length) return false;
  const { events } = await actor.fetchHistory();
  const last = events?.at(-1);
  const task = last?.workflowTaskScheduledEventAttributes ?? last?.workflowTaskStartedEventAttributes;
  const activity =
    last?.activityTaskScheduledEventAttributes ??
    last?.activityTaskStartedEventAttributes ??
    last?.activityTaskCompletedEventAttributes;
  return (task ?? activity ?? last?.workflowExecutionStartedEventAttributes) == null;
}
