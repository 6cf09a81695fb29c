import type { Workload } from '../../../protocol/workload.ts';
import { Refusal } from '../../program/refusal.ts';
import type { Memory } from '../memory.ts';
import { processKey } from '../plan/keys.ts';
import type { Plan } from '../plan/plan.ts';

export interface RestartRequest {
  key: string;
  /** One process alone. */
  process: string | undefined;
  /** The same token asks for the same restart. */
  token: string;
}

interface World {
  memory: Memory;
  /** The workload that serves. */
  workload: Workload | undefined;
  plan(): Plan | undefined;
  routed(): boolean;
  nextPass(): Promise<void>;
}

/**
 * Replaces the instances of a slice, or of one of its processes, by new ones of the same release, replica by replica.
 * Resolves when they have taken over.
 */
export async function restart({ key, process, token }: RestartRequest, world: World): Promise<void> {
  const { memory, workload } = world;
  const all = workload?.processes ?? [];
  const named = process === undefined ? all : all.filter(({ name }) => name === process);
  const restarted = named.filter(({ kind }) => kind !== 'cron');
  if (restarted.length === 0) {
    const what = process === undefined ? key : `${process} of ${key}`;
    throw new Refusal(
      named.length > 0
        ? `${what} runs by its schedule, so there is nothing to restart.`
        : `${what} is not on this cluster.`,
    );
  }
  if (!memory.tokens.includes(token)) {
    memory.tokens.push(token);
    for (const { name } of restarted) memory.restarts.set(processKey(key, name), token);
    memory.save();
  }
  await world.nextPass();
  for (;;) {
    await world.nextPass();
    const slice = world.plan()?.slices.get(key);
    if (slice === undefined) throw new Refusal(`${key} was removed from this cluster while it was restarted.`);
    const plans = restarted.flatMap(({ name }) => slice.processes.get(name) ?? []);
    if (plans.length === 0) throw new Refusal(`${key} serves nothing any more, so there is nothing to restart.`);
    const failed = plans.find(({ error }) => error !== undefined);
    if (failed?.error !== undefined) throw new Error(failed.error);
    if (plans.every(({ inEffect }) => inEffect) && world.routed()) return;
  }
}
