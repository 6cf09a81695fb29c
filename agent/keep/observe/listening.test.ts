import { afterAll, afterEach, expect, test } from 'vitest';
import { type KeptMachine, keptMachine, lastingIngress, wanted } from '../../../test/agents/kept-machine.ts';
import { until } from '../../../test/ground/until.ts';

const { home: ingress, close } = lastingIngress();
let machine: KeptMachine;
afterEach(() => machine?.close());
afterAll(close);

test('a release whose program does not listen on PORT fails by that, and says it before', async () => {
  let late = 0;
  machine = await keptMachine({ ingress, clock: { now: () => Date.now() + late } });
  const keeper = await machine.keeper();
  const elsewhere = { args: ['-listen', '127.0.0.1:0'] };
  await keeper.desire(wanted(1, await machine.rolled('a', 1, 'r1', elsewhere)), 0);
  const seen = () => keeper.observed().slices[0];
  const sentence = /a connection failed: .*ECONNREFUSED.* It listens on \d+, not on PORT \(2\d{4}\): have it read/;
  await until('it is said while it starts', async () => {
    const { rollout, instances = [] } = seen() ?? {};
    return sentence.test(rollout?.message ?? '') && sentence.test(instances[0]?.message ?? '');
  });
  const listening = { ownNetwork: false, sockets: [{ address: '127.0.0.1', port: expect.any(Number) }] };
  expect(seen()?.instances[0]?.listening).toMatchObject(listening);
  late = 3_600_000;
  await until('it is returned', async () => seen()?.rollout?.phase === 'returned');
  expect(seen()?.rollout).toMatchObject({
    message: expect.stringMatching(sentence),
    failure: { process: 'web', listening },
  });
});

test('a release that accepts connections and answers no request does not go live, and says so', async () => {
  let late = 0;
  machine = await keptMachine({ ingress, clock: { now: () => Date.now() + late } });
  const keeper = await machine.keeper();
  await keeper.desire(wanted(1, await machine.rolled('a', 1, 'r1', { args: ['-mute'] })), 0);
  const rollout = () => keeper.observed().slices[0]?.rollout;
  const sentence = /It is not ready: it accepts connections, but gives no answer to GET \/\./;
  await until('it is said while it starts', async () => sentence.test(rollout()?.message ?? ''));
  late = 3_600_000;
  await until('it is returned', async () => rollout()?.phase === 'returned');
  expect(rollout()?.message).toMatch(sentence);
});

test('an answer ends what was said of where it listens', async () => {
  machine = await keptMachine({ ingress });
  const keeper = await machine.keeper();
  const late = { args: ['-delay', '6000'] };
  await keeper.desire(wanted(1, await machine.rolled('a', 1, 'r1', late)), 0);
  const instance = () => keeper.observed().slices[0]?.instances[0];
  await until('it listens nowhere yet', async () => instance()?.message?.includes('does not listen on any port'));
  expect(instance()?.listening?.sockets).toEqual([]);
  await until('it is ready', async () => instance()?.state === 'ready');
  expect([instance()?.message, instance()?.listening]).toEqual([undefined, undefined]);
});
