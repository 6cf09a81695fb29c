import { setTimeout as pause } from 'node:timers/promises';
import { Events, Progress } from '../engine/progress.ts';
import type { Rest } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import type { Workload } from './workload.ts';

type Instance = Workload['instances'][number];

/**
 * Looks on until all these are in effect, one of them says that it cannot be, or the time is up. `json`: how each stands is told in
 * lines of JSON; ends of instances are for people.
 */
export async function appliedWorkloads(
  rest: Rest,
  path: string,
  begun: Workload[],
  millis: number,
  json: boolean,
): Promise<Workload[]> {
  const deadline = Date.now() + millis;
  const progress = new Progress(process.stderr);
  const events = new Events();
  const wanted = new Set(begun.map(({ key }) => key));
  const told = new Set<string>();
  // How runs ended before is no news.
  const known = new Set(begun.flatMap(({ instances }) => instances.map(endOf)));
  try {
    for (let now = begun; ; ) {
      for (const workload of now) {
        const { key, name, state } = workload;
        for (const line of news(workload, known)) progress.line(line);
        if (json) events.tell('workload', key, factsOf(workload));
        else if (state === 'pending') progress.running(key, `${printable(name)} ${standing(workload)}`);
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

/** The changes of instances since the last look: ends, and reasons that keep one from starting. */
function news({ name, instances }: Workload, known: Set<string>): string[] {
  return instances.flatMap((instance) => {
    const [end, why] = [endOf(instance), `${instance.id} ${instance.message ?? ''}`];
    const who = `${printable(name)}/${printable(instance.process)} ${printable(instance.id)}`;
    const lines: string[] = [];
    if (instance.exit !== undefined && !known.has(end))
      lines.push(`  ${who} ${exitText(instance.exit)} in run ${instance.exit.run}`);
    const stuck = instance.state === 'preparing' && instance.message !== undefined && instance.message !== preparing;
    if (stuck && !known.has(why)) lines.push(`  ${who}: ${printable(instance.message ?? '')}`);
    known.add(end).add(why);
    return lines;
  });
}

const preparing = 'Its image is being made ready.';

function endOf({ id, exit }: Instance): string {
  return `${id} run ${exit?.run ?? 0}`;
}

function exitText({ code, signal }: NonNullable<Instance['exit']>): string {
  if (signal !== undefined) return `was ended by ${printable(signal)}`;
  return code === undefined ? 'ended while nobody saw it' : `exited with code ${code}`;
}

function factsOf({ name, release, state, error, instances }: Workload): Record<string, unknown> {
  const counts = Object.fromEntries([...statesOf(instances)].map(([is, some]) => [is, some.length]));
  return { workload: name, release, state, error, instances: counts };
}

function statesOf(instances: readonly Instance[]): Map<string, Instance[]> {
  return Map.groupBy(instances, ({ state }) => state);
}

/** "is being applied: 1 ready, 2 starting". */
function standing({ instances }: Workload): string {
  const counts = [...statesOf(instances)].map(([state, some]) => `${some.length} ${state}`).join(', ');
  return counts === '' ? 'is being applied' : `is being applied: ${counts}`;
}
