import { deploymentStages } from '../../domain/deployments/states.ts';
import type { ShownDeployment } from './deliveries.ts';

/** Breaks in the account of a deployment that is over: each stage begins where the one before ends, and none is left open. */
export function stageFaults({ stages, state, createdAt, finishedAt }: ShownDeployment): string[] {
  const names = stages.map(({ stage }) => stage);
  const order = names.map((name) => deploymentStages.indexOf(name));
  const faults: string[] = [];
  if (order.some((place, index) => index > 0 && place <= (order[index - 1] ?? 0))) {
    faults.push(`not in order: ${names.join(', ')}`);
  }
  stages.forEach(({ stage, startedAt, endedAt }, index) => {
    const from = index === 0 ? createdAt : stages[index - 1]?.endedAt;
    if (startedAt !== from) faults.push(`${stage} begins at ${startedAt}, after ${from}`);
    if (endedAt === undefined) faults.push(`${stage} is open`);
    else if (endedAt < startedAt) faults.push(`${stage} ends before it begins`);
  });
  const end = stages.at(-1)?.endedAt;
  if (end !== undefined && finishedAt !== undefined && end > finishedAt) faults.push(`ends after ${finishedAt}`);
  const whole = ['queue', 'prepare', 'start', 'check', 'switch', 'drain'];
  if (state === 'live' && whole.some((name) => !names.includes(name as never))) {
    faults.push(`live without all stages: ${names.join(', ')}`);
  }
  return faults;
}

/** The same of its events: one request, each stage started and ended once, one end, which comes last. */
export function eventFaults({ stages }: ShownDeployment, events: readonly { kind: string; stage: string }[]): string[] {
  const names = stages.map(({ stage }) => stage);
  const of = (kind: string) => events.filter((event) => event.kind === kind).map(({ stage }) => stage);
  const faults: string[] = [];
  for (const kind of ['stage-started', 'stage-ended']) {
    const told = of(kind);
    if (told.join() !== names.join()) faults.push(`${kind}: ${told.join(', ')} instead of ${names.join(', ')}`);
  }
  for (const kind of ['requested', 'finished']) {
    if (of(kind).length !== 1) faults.push(`${of(kind).length} events of kind ${kind}`);
  }
  if (events[0]?.kind !== 'requested') faults.push(`begins with ${events[0]?.kind}`);
  if (events.at(-1)?.kind !== 'finished') faults.push(`ends with ${events.at(-1)?.kind}`);
  return faults;
}
