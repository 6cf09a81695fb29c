import type { z } from 'zod';
import type { HistoryEvent } from '../../domain/history-steps/event.ts';
import { stateWords } from '../../domain/history-steps/state-words.ts';
import type { HistoryStep } from '../../domain/history-steps/step.ts';
import { withoutSecrets } from '../../domain/history-steps/without-secrets.ts';
import type { ActorWords } from '../../domain/history-steps/words.ts';
import type { historyStepSchema } from './workflow.ts';

interface Told {
  /** When the workflow started. */
  since: Date;
  words: ActorWords;
  /** Those of its run, if they are asked for. */
  events?: readonly HistoryEvent[] | undefined;
}

export function presentStep(
  { events: ids, until: _, ...step }: HistoryStep,
  { since, words, events }: Told,
): z.output<typeof historyStepSchema> {
  const { run, startedAt, finishedAt, state } = step;
  return {
    id: `${run}-${ids[0]}`,
    ...step,
    ...(state === undefined ? {} : { stateTitle: stateWords(words, state).word }),
    sinceStartMs: Math.max(0, Date.parse(startedAt) - since.getTime()),
    // Titles and details come from workflows and can have any length.
    title: cut(step.title, 300),
    detail: cut(step.detail, 2_000),
    ...(finishedAt === undefined ? {} : { durationMs: Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt)) }),
    ...(events === undefined ? {} : { events: events.filter(({ id }) => ids.includes(id)).map(presentEvent) }),
  };
}

function presentEvent({ attributes, ...event }: HistoryEvent) {
  return { ...event, attributes: withoutSecrets(attributes) };
}

function cut(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
