import { afterAll, afterEach, expect, test } from 'vitest';
import { type KeptMachine, keptMachine, lastingIngress, wanted } from '../../../test/agents/kept-machine.ts';
import { until } from '../../../test/ground/until.ts';

const { home: ingress, close } = lastingIngress();
let machine: KeptMachine;
afterEach(() => machine?.close());
afterAll(close);

test('a release that answers every visitor by a setting that does not fit is live, with that as a warning', async () => {
  machine = await keptMachine({ ingress });
  const keeper = await machine.keeper();
  const slices = [
    await machine.rolled('well', 1, 'r1'),
    await machine.rolled('host', 2, 'r1', { args: ['-allowed', 'shop.example.com'] }),
    await machine.rolled('loop', 3, 'r1', { args: ['-secure'] }),
  ];
  await keeper.desire(wanted(3, ...slices), 0);
  const rolloutOf = (key: string) => keeper.observed().slices.find((slice) => slice.key === key)?.rollout;
  for (const key of ['well', 'host', 'loop']) {
    await until(`${key} is done`, async () => rolloutOf(key)?.phase === 'done');
  }
  expect(rolloutOf('well')?.warnings).toBeUndefined();
  expect(rolloutOf('host')?.warnings).toEqual([
    { kind: 'host', by: 'django', status: 400, path: '/', host: 'host.localhost' },
  ]);
  expect(rolloutOf('loop')?.warnings).toEqual([{ kind: 'https-loop', status: 301, path: '/', host: 'loop.localhost' }]);
});

test('a check is asked by the name that visitors ask for, where the program checks names', async () => {
  machine = await keptMachine({ ingress });
  const keeper = await machine.keeper();
  const readiness = { kind: 'http', path: '/healthz' };
  const process = { args: ['-allowed', 'a.localhost'], checks: { readiness } };
  await keeper.desire(wanted(1, await machine.rolled('a', 1, 'r1', process)), 0);
  const rollout = () => keeper.observed().slices[0]?.rollout;
  await until('it is done', async () => rollout()?.phase === 'done');
  expect(rollout()?.warnings).toBeUndefined();
});
