import proto from '@temporalio/proto';
import type { HistoryEvent } from '../../domain/history-steps/step.ts';
import { historyEvents } from '../../temporal/history/history-events.ts';
import { type History, historyFromText } from '../../temporal/history/history-text.ts';

const { History: HistoryMessage } = proto.temporal.api.history.v1;

/** One run of an exported workflow. */
export interface ExportedRun {
  /** From 1. */
  number: number;
  history: History;
  /** The same, as steps are made of it. */
  events: HistoryEvent[];
}

/** Nothing is sealed or opened: what the export left sealed stays so. */
const asItIs = { encode: async <T>(payloads: T) => payloads, decode: async <T>(payloads: T) => payloads };

/** The runs of an export: one history, as Temporal's tools write it, or several beneath `runs`. `first`: the number of the first. */
export async function exportedRuns(text: string, first = 1): Promise<ExportedRun[]> {
  const given: unknown = JSON.parse(text);
  const runs = typeof given === 'object' && given !== null && 'runs' in given ? given.runs : [given];
  if (!Array.isArray(runs) || runs.length === 0) throw new TypeError('It has no runs.');
  return await Promise.all(runs.map((run: unknown, index) => exportedRun(run, first + index)));
}

async function exportedRun(run: unknown, number: number): Promise<ExportedRun> {
  const history = historyFromText(JSON.stringify(run));
  const events = await historyEvents(HistoryMessage.encode(history).finish(), asItIs);
  if (events.length === 0) throw new TypeError('It has no events.');
  return { number, history, events };
}

/** The name under which the workflow of a run was started. */
export function workflowOf({ history }: ExportedRun): string {
  return history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name ?? '';
}
