import type { ObservedInstance } from '../../../protocol/observed.ts';
import { servingOf } from '../plan/addresses.ts';
import { releaseOf } from '../plan/label.ts';
import { isAsked, isServing, type Seen, whyOf } from './seen.ts';

/** A workload's instances, as people and the control plane see them. */
export function observeInstances(
  seen: readonly Seen[],
  node: string,
  now: number,
  /** Those that no address leads to, although they may be ready. */
  apart: ReadonlySet<string> = new Set(),
): ObservedInstance[] {
  const reached = seen.filter(({ id }) => !apart.has(id));
  const getRequests = new Set(
    [...Map.groupBy(reached, ({ process }) => process.name).values()].flatMap((some) => servingOf(some, now)),
  );
  return [...seen]
    .sort((one, other) => (one.id < other.id ? -1 : 1))
    .map((one) => observeInstance(one, getRequests.has(one), node));
}

function observeInstance(seen: Seen, getsRequests: boolean, node: string): ObservedInstance {
  const state = stateOf(seen, getsRequests);
  const message = messageOf(seen, state);
  const { exit } = seen;
  return {
    ...{ id: seen.id, process: seen.process.name, release: releaseOf(seen.label), node, state, run: seen.run },
    ...(seen.startedAt === undefined ? {} : { startedAt: new Date(seen.startedAt).toISOString() }),
    ...(exit === undefined
      ? {}
      : {
          exit: {
            run: exit.run,
            ...(exit.code === undefined ? {} : { code: exit.code }),
            ...(exit.signal === undefined ? {} : { signal: exit.signal }),
            at: exit.at.toISOString(),
          },
        }),
    ...(message === undefined ? {} : { message }),
    ...(seen.listening === undefined || seen.state !== 'running'
      ? {}
      : { listening: { ...seen.listening, sockets: [...seen.listening.sockets] } }),
    ...(seen.memoryBytes === undefined || seen.state !== 'running' ? {} : { memoryBytes: seen.memoryBytes }),
  };
}

function stateOf(seen: Seen, getsRequests: boolean): ObservedInstance['state'] {
  if (seen.state === 'preparing') return 'preparing';
  if (seen.state === 'created') return 'starting';
  if (seen.state === 'ended') return seen.retired || seen.process.kind === 'cron' ? 'ended' : 'waiting';
  if (seen.retired) return 'draining';
  if (seen.process.kind === 'cron') return 'running';
  if (getsRequests && isAsked(seen.process)) return 'ready';
  if (seen.wasReady && !isServing(seen)) return 'failing';
  return seen.started ? 'running' : 'starting';
}

function messageOf(seen: Seen, state: ObservedInstance['state']): string | undefined {
  if (seen.refused !== undefined) return seen.refused;
  if (state === 'waiting') {
    return seen.busy ? whyOf(seen) : `${whyOf(seen)} It is started again at ${new Date(seen.notBefore).toISOString()}.`;
  }
  if (state === 'preparing') return seen.message ?? 'Its image is being made ready.';
  if (state === 'draining') return 'It ends what it is doing.';
  if (state === 'running' && isServing(seen) && isAsked(seen.process)) {
    return `It is ready, and counts when it has been for ${seen.process.stabilizationSeconds} s.`;
  }
  return seen.sick ?? seen.message;
}
