import { afterAll, expect, test } from 'vitest';
import { actorsGround, deletedOrganization } from '../../test/actors/actors.ts';
import { until } from '../../test/ground/until.ts';
import { openMetrics } from '../host/metrics.ts';
import { openMemory, reconcile } from './reconciler.ts';
import { runningActors } from './running-actors.ts';

const ground = await actorsGround();
afterAll(() => ground.close());

test('where nothing has changed a pass counts the actors and lists them no more, until one is missing', async () => {
  const { database, temporal, log, delivery } = ground;
  const { actor } = await deletedOrganization(database);
  await delivery.deliver(actor);
  // A workflow of somebody else in our namespace is no difference.
  await temporal.client.workflow.start('theirs', { workflowId: 'theirs', taskQueue: 'theirs' });
  await until('visibility knows both', async () => {
    const running = await runningActors(temporal);
    return running.has(actor) && running.has('theirs');
  });
  let lists = 0;
  const { workflowService } = temporal.connection;
  const counting = new Proxy(workflowService, {
    get(service, name, receiver) {
      const method: unknown = Reflect.get(service, name, receiver);
      if (typeof method !== 'function') return method;
      return (...given: [{ query?: string }]) => {
        if (name === 'listWorkflowExecutions' && given[0].query === "ExecutionStatus = 'Running'") lists += 1;
        return Reflect.apply(method, service, given);
      };
    },
  });
  const connection = Object.create(temporal.connection, { workflowService: { value: counting } });
  const metrics = openMetrics(undefined);
  const watched = { database, log, metrics, graceSeconds: 0, temporal: { ...temporal, connection } };
  const memory = openMemory();
  await until('rows and actors agree', async () => {
    lists = 0;
    await reconcile(watched, undefined, memory);
    return lists === 0;
  });
  await temporal.client.workflow.getHandle(actor).terminate('by a test');
  // Until then the counts agree, and the pass that describes some in turn could mend it without a list.
  await until('visibility knows of it', async () => !(await runningActors(temporal)).has(actor));
  await until('it is started again', async () => {
    await reconcile(watched, undefined, memory);
    const { status } = await temporal.client.workflow.getHandle(actor).describe();
    return status.name === 'RUNNING';
  });
  expect(lists).toBeGreaterThan(0);
});
