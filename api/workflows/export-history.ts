import { z } from 'zod';
import { UnreadablePage } from '../../db/engine/archive/history-archive.ts';
import { actorId } from '../../domain/actors/actors.ts';
import { Problem } from '../../domain/problems.ts';
import { operation } from '../engine/operation.ts';
import { historyOf } from './history-of.ts';
import { reached } from './reached.ts';
import { actorOf, workflowPath } from './workflow.ts';

export const exportHistory = operation({
  // Recorded, and a GET has no effect.
  method: 'POST',
  url: '/api/v1/workflows/{id}/export',
  summary: 'Export the history of a workflow as a file that replays',
  description:
    "One run as Temporal's tools and the SDK's replayer take it, decoded. A payload with a field whose name speaks of a secret stays sealed, as it is in the archive. Each export is recorded in the audit log.",
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'unavailable', 'conflict'],
  path: workflowPath,
  query: z.strictObject({
    run: z.int().min(1).optional().describe('The number of the run; the last one by default.'),
  }),
  result: z.object({ events: z.array(z.record(z.string(), z.unknown())) }).meta({ id: 'TemporalHistory' }),
  document: true,
  ownEffect: true,
  async handle({ caller, path, query, once, server }) {
    const actor = await actorOf(caller, path.id);
    const history = historyOf(server, actor);
    const run = query.run ?? (await reached(() => history.count()));
    const exported = await reached(() => history.exported(run)).catch((error: unknown) => {
      if (!(error instanceof UnreadablePage)) throw error;
      throw new Problem('conflict', `A part of this run cannot be read, so it does not replay: ${error.message}`);
    });
    if (exported === undefined) throw new Problem('not-found', 'There is no such run of this workflow.');
    await once(async (began) =>
      began.audit({
        action: 'workflow.exported',
        organizationId: caller.organization.id,
        subjectKind: 'workflow',
        subjectId: actor.id,
        subjectName: actor.name,
        details: { workflow: actorId(actor.kind, actor.id), run },
      }),
    );
    return { events: (exported.events ?? []) as Record<string, unknown>[] };
  },
});
