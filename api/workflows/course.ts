import type { ActorView } from '../../db/workflows/actors.ts';
import { endsRun, factsOf, textOf } from '../../domain/history-steps/event.ts';
import type { Course } from '../../domain/history-steps/stages.ts';
import type { HistoryStep } from '../../domain/history-steps/step.ts';
import { steps } from '../../domain/history-steps/steps.ts';
import type { ActorHistory } from '../../temporal/history/actor-history.ts';
import { descriptors } from '../../workflows/descriptors.ts';

/** An actor that runs to its end seldom has a second run; of one that lives for ever the last run tells enough. */
const mostRuns = { once: 5, 'for-ever': 1 } as const;

/** The way of an actor, as its last runs tell it. */
export async function courseOf(
  actor: ActorView,
  history: ActorHistory,
): Promise<{ runs: number; about: string; course: Course | undefined; waiting: HistoryStep[] }> {
  const { words, states, lives } = descriptors[actor.kind];
  const runs = await history.count();
  const told: HistoryStep[] = [];
  const from = Math.max(1, runs - mostRuns[lives] + 1);
  let about = '';
  let begunIn = states[0] ?? '';
  let waiting: HistoryStep[] = [];
  for (let run = from; run <= runs; run += 1) {
    const events = (await history.run(run)) ?? [];
    const input = factsOf(events[0]?.attributes.input);
    if (run === from) {
      about = events.length === 0 ? '' : words.about(input);
      begunIn = textOf(input.state) || begunIn;
    }
    const trying = endsRun(events.at(-1)) ? undefined : (await history.described())?.trying;
    const ofRun = steps({ number: run, events }, words, trying);
    told.push(...ofRun);
    waiting = ofRun.filter(({ outcome }) => outcome === 'waiting');
  }
  const { state, createdAt, finishedAt } = actor;
  const course: Course = {
    ...{ steps: told, begunIn, state },
    ...(from === 1 ? { begunAt: createdAt.toISOString() } : {}),
    ...(finishedAt === null ? {} : { finishedAt: finishedAt.toISOString() }),
  };
  return { runs, about, course: told.length === 0 ? undefined : course, waiting };
}
