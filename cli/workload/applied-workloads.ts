import { setTimeout as pause } from 'node:timers/promises';
import type { Workload } from '../cluster/apply.ts';
import { Progress } from '../engine/progress.ts';
import type { Rest } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';

/** Looks on until all these are in effect, one of them says that it cannot be, or the time is up. */
export async function appliedWorkloads(
  rest: Rest,
  path: string,
  begun: Workload[],
  millis: number,
): Promise<Workload[]> {
  const deadline = Date.now() + millis;
  const progress = new Progress(process.stderr);
  const wanted = new Set(begun.map(({ key }) => key));
  const told = new Set<string>();
  try {
    for (let now = begun; ; ) {
      for (const { key, name, state } of now) {
        if (state === 'pending') progress.running(key, `${printable(name)} is being put there`);
        else if (!told.has(key)) {
          told.add(key);
          if (state === 'applied') progress.done(key, `${printable(name)} is in effect`);
          else progress.forget(key);
        }
      }
      if (now.every(({ state }) => state !== 'pending') || Date.now() > deadline) return now;
      await pause(500);
      now = (await rest.all<Workload>(`${path}/workloads`)).filter(({ key }) => wanted.has(key));
    }
  } finally {
    progress.end();
  }
}
