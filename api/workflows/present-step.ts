import type { z } from 'zod';
import type { HistoryEvent } from '../../domain/history-steps/event.ts';
import type { HistoryStep } from '../../domain/history-steps/step.ts';
import { withoutSecrets } from '../../domain/history-steps/without-secrets.ts';
import type { historyStepSchema } from './workflow.ts';

/** `events`: those of its run, if they are asked for. */
export function presentStep(
  { events: ids, until: _, ...step }: HistoryStep,
  events?: readonly HistoryEvent[],
): z.output<typeof historyStepSchema> {
  const { run, startedAt, finishedAt } = step;
  return {
    id: `${run}-${ids[0]}`,
    ...step,
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
