import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { groundTemporal } from '../../test/ground/ground-temporal.ts';
import { connectTemporal } from './connect.ts';
import { prepareNamespace } from './prepare-namespace.ts';
import { searchAttributeNames } from './search-attributes.ts';

const keys = {
  current: () => Promise.resolve({ id: 'test', key: Buffer.alloc(32, 1) }),
  byId: () => Promise.resolve(Buffer.alloc(32, 1)),
};

test('two processes make one namespace at once, usable, and a third finds it as it is', async () => {
  const namespace = `prepare-${randomUUID()}`;
  const address = await groundTemporal(namespace);
  const temporals = [1, 2, 3].map(() => connectTemporal({ ...address, keys }));
  const [first, second, third] = temporals;
  if (!first || !second || !third) throw new Error('unreachable');
  const [one, two] = await Promise.all([prepareNamespace(first), prepareNamespace(second)]);
  expect(one).toBe(two);

  await first.connection.workflowService.updateNamespace({
    namespace,
    config: { workflowExecutionRetentionTtl: { seconds: (await retention(first)).sub(86_400) } },
  });
  expect(await prepareNamespace(third)).toBe(one);
  expect(Number(await retention(first))).toBe(30 * 86_400);

  const { customAttributes } = await first.connection.operatorService.listSearchAttributes({ namespace });
  expect(Object.keys(customAttributes)).toEqual(expect.arrayContaining([...searchAttributeNames]));
  await Promise.all(temporals.map((temporal) => temporal.close()));
});

async function retention(temporal: ReturnType<typeof connectTemporal>) {
  const { config } = await temporal.connection.workflowService.describeNamespace({ namespace: temporal.namespace });
  const seconds = config?.workflowExecutionRetentionTtl?.seconds;
  if (!seconds) throw new Error('the namespace has no retention');
  return seconds;
}
