import type { z } from 'zod';
import type { workflowDetailSchema } from '../../api/workflows/workflow.ts';
import { type Rest, RestRefusal } from '../engine/rest.ts';
import { workflowPath } from './show.ts';

/** One run as the API exports it: a history that Temporal's tools and the SDK's replayer take. */
export interface TemporalHistory {
  events: Record<string, unknown>[];
}

/** All runs of a workflow in their order, or the one of that number. Each export is in the audit log. */
export async function exportOf(rest: Rest, id: string, number?: number): Promise<TemporalHistory[]> {
  const ofRun = (run: number) => rest.call<TemporalHistory>('POST', `${workflowPath(id)}/export?run=${run}`);
  if (number !== undefined) return [await ofRun(number)];
  const { runs: known } = await rest.call<z.output<typeof workflowDetailSchema>>('GET', workflowPath(id));
  const runs: TemporalHistory[] = [];
  for (let run = 1; run <= (known ?? Number.POSITIVE_INFINITY); run += 1) {
    try {
      runs.push(await ofRun(run));
    } catch (error) {
      // How many there are is unknown while Temporal is away; the archive has those that are over.
      if (known === undefined && run > 1 && error instanceof RestRefusal && error.status === 404) break;
      throw error;
    }
  }
  return runs;
}

/** The text of a file: one run is a plain history, which Temporal's own tools read, too. */
export function exportText(runs: readonly TemporalHistory[]): string {
  const [only] = runs;
  return `${JSON.stringify(runs.length === 1 ? only : { runs }, undefined, 2)}\n`;
}
