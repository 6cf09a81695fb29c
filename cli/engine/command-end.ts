import { setTimeout as pause } from 'node:timers/promises';
import { type Rest, RestRefusal } from './rest.ts';

/** How a command of a cluster ended. */
export interface Finished {
  state: string;
  exitCode?: number;
  message: string;
}

/** The failure of a command; `what`: how the sentence begins where the machine says nothing. */
export function failureOf({ state, message }: Finished, what: string): RestRefusal | undefined {
  return state === 'done' ? undefined : new RestRefusal(message || `${what} is ${state}.`);
}

const never = new AbortController().signal;

/** Waits for the end of a command that says nothing. */
export async function finishedCommand(rest: Rest, place: string): Promise<Finished> {
  for (;;) {
    const finished = await followedCommand(rest, place, never, () => {});
    if (finished !== undefined) return finished;
  }
}

/** Passes on what it says until it ends; a stream that ends before is opened again where it ended. */
export async function followedCommand(
  rest: Rest,
  place: string,
  signal: AbortSignal,
  output: (stream: 'stdout' | 'stderr', bytes: Buffer) => void,
): Promise<Finished | undefined> {
  let after = -1;
  while (!signal.aborted) {
    try {
      for await (const { event, data } of rest.events(`${place}/stream?after=${after}`, signal)) {
        if (event === 'finished') return data as unknown as Finished;
        if (event !== 'output') continue;
        after = Number(data.number);
        output(data.stream === 'stderr' ? 'stderr' : 'stdout', Buffer.from(String(data.data), 'base64'));
      }
    } catch (error) {
      if (signal.aborted) return undefined;
      if (error instanceof RestRefusal && error.status > 0) throw error;
    }
    await pause(500, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}
