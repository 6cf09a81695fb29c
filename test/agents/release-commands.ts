import { expect } from 'vitest';
import type { Keeper } from '../../agent/keep/keeper.ts';
import { until } from '../ground/until.ts';
import { type KeptMachine, keptMachine, wanted } from './kept-machine.ts';

const sample = (...args: string[]) => ['/app/sample', ...args];
export const rolloutOf = (keeper: Keeper) => keeper.observed().slices[0]?.rollout;
const instancesOf = (keeper: Keeper) => keeper.observed().slices[0]?.instances ?? [];
export const commandsOf = (keeper: Keeper) =>
  instancesOf(keeper).filter(({ process }) => process === 'release-command');

async function came(keeper: Keeper, id: string, phase: string): Promise<void> {
  const is = async () => rolloutOf(keeper)?.id === id && rolloutOf(keeper)?.phase === phase;
  await until(`${id} is ${phase}`, is, 60).catch((error: unknown) => {
    throw new Error(`${String(error)} ${JSON.stringify(keeper.observed(), null, 1)}`);
  });
}

export function migrating(
  machine: KeptMachine,
  revision: number,
  release: string,
  command: string[],
  more: object = {},
) {
  const releaseCommand = { command, timeoutSeconds: 600 };
  const rollout = { id: release, digest: release, releaseCommand };
  return machine.rolled('shop', revision, release, {}, { rollout, environment: { COLOUR: 'green' }, ...more });
}

/** All that an instance has said. */
export async function linesOf(machine: KeptMachine, id: string): Promise<string> {
  let said = '';
  const request = { start: 'oldest' as const, follow: false, signal: AbortSignal.timeout(10_000) };
  for await (const news of machine.driver().logs(id, request)) if ('bytes' in news) said += news.bytes.toString();
  return said;
}

/** The whole of it, with one program that every driver can run. */
async function releases(machine: KeptMachine, clock: { ahead: number }): Promise<void> {
  const first = await machine.keeper();
  const v1 = await migrating(machine, 1, 'v1', sample('-env'));
  await first.desire(wanted(1, v1), 0);
  await came(first, 'v1', 'done');
  expect(commandsOf(first)).toMatchObject([{ state: 'ended', run: 1, release: 'v1', exit: { code: 0 } }]);
  expect(await linesOf(machine, commandsOf(first)[0]?.id ?? '')).toContain('COLOUR=green');
  const serving = instancesOf(first).filter(({ state }) => state === 'ready');

  await first.desire(wanted(2, await migrating(machine, 2, 'v2', sample('-once', '-code', '3'))));
  await came(first, 'v2', 'returned');
  expect(rolloutOf(first)).toMatchObject({
    message: 'The release command exited with code 3.',
    failure: { process: 'release-command', exit: { code: 3 }, lines: [expect.any(String)], releaseCommand: 'exit' },
  });

  // One that does not end is adopted by the next agent, and ended for its time, with what it has started.
  await first.desire(wanted(3, await migrating(machine, 3, 'v3', sample('-spawn', '-silent'))));
  await came(first, 'v3', 'releasing');
  const running = () => commandsOf(first).filter(({ state }) => state === 'running');
  await until('it runs', async () => running().length === 1);
  await first.close();
  const next = await machine.keeper();
  expect(rolloutOf(next)).toMatchObject({ id: 'v3', phase: 'releasing' });
  clock.ahead = 601_000;
  await came(next, 'v3', 'returned');
  expect(rolloutOf(next)?.failure).toMatchObject({ instance: running()[0]?.id, releaseCommand: 'timed-out' });
  expect(commandsOf(next).map(({ state, run }) => [state, run])).toEqual([...[1, 2, 3].map(() => ['ended', 1])]);

  // Given up while it runs: it ends, and what was there serves as before.
  await next.desire(wanted(4, await migrating(machine, 4, 'v4', sample('-silent'))));
  await came(next, 'v4', 'releasing');
  const rollout = { id: 'v1', digest: 'v1' };
  await next.desire(wanted(5, { ...v1, revision: 5, workload: { ...v1.workload, rollout } }));
  await came(next, 'v1', 'done');
  await until('nothing of it runs', async () => commandsOf(next).every(({ state }) => state === 'ended'));
  const after = instancesOf(next).filter(({ state }) => state === 'ready');
  expect(after.map(({ id, run }) => [id, run])).toEqual(serving.map(({ id, run }) => [id, run]));
}

/** On a machine of its own. */
export async function releasesOn(options: NonNullable<Parameters<typeof keptMachine>[0]> = {}): Promise<void> {
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
  const machine = await keptMachine({ ...options, clock });
  try {
    await releases(machine, clock);
  } finally {
    await machine.close();
  }
}
