import type { z } from 'zod';
import type { ActorView } from '../../db/workflows/actors.ts';
import { actorId } from '../../domain/actors/actors.ts';
import type { workflowSchema } from './workflow.ts';

const delays = {
  undelivered:
    'Its messages have not been delivered for more than a minute; see whether Temporal answers (/readyz), and the log of the workers.',
  overdue: 'It should have gone on by now; see whether a worker runs (/readyz), and the log of the workers.',
} as const;

export function presentWorkflow(actor: ActorView): z.output<typeof workflowSchema> {
  const { id, kind, name, subjectId, state, stuck, delay, blocker, message, createdAt, finishedAt } = actor;
  return {
    id,
    kind,
    actorId: actorId(kind, id),
    name,
    subjectId,
    state,
    open: finishedAt === null,
    stuck,
    blocker: finishedAt === null ? (blocker ?? (delay === null ? '' : delays[delay])) : '',
    message: message ?? '',
    createdAt: createdAt.toISOString(),
    ...(finishedAt === null ? {} : { finishedAt: finishedAt.toISOString() }),
  };
}
