import { setTimeout as wait } from 'node:timers/promises';

/** Waits, or ends at once when told to. */
export async function pause(millis: number, signal?: AbortSignal): Promise<void> {
  await wait(millis, undefined, { signal, ref: true }).catch(() => {});
}
