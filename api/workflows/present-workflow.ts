import type { z } from 'zod';
import type { RequestedActor } from '../../db/workflows/actors.ts';
import { actorId } from '../../domain/actors/actors.ts';
import { stateWords } from '../../domain/history-steps/state-words.ts';
import { descriptors } from '../../workflows/descriptors.ts';
import type { workflowSchema } from './workflow.ts';

const delays = {
  undelivered:
    'Its messages have not been delivered for more than a minute; see whether Temporal answers (/readyz), and the log of the workers.',
  overdue: 'It should have gone on by now; see whether a worker runs (/readyz), and the log of the workers.',
} as const;

export function presentWorkflow(actor: RequestedActor): z.output<typeof workflowSchema> {
  const { id, kind, name, subjectId, release, state, stuck, delay, blocker, message, createdAt, finishedAt } = actor;
  const { words, lives, ends, row, belongsTo } = descriptors[kind];
  const { word, tone } = stateWords(words, state);
  return {
    id,
    kind,
    actorId: actorId(kind, id),
    title: words.title(name),
    name,
    subjectKind: row.subjectId === 'actor.id' ? kind : (belongsTo ?? 'organization'),
    subjectId,
    ...(release === null ? {} : { release }),
    lives,
    state,
    stateTitle: word,
    tone,
    outcome: finishedAt === null ? 'running' : (ends[state] ?? 'failed'),
    ...requestOf(actor),
    open: finishedAt === null,
    stuck,
    blocker: finishedAt === null ? (blocker ?? (delay === null ? '' : delays[delay])) : '',
    message: message ?? '',
    createdAt: createdAt.toISOString(),
    ...(finishedAt === null ? {} : { finishedAt: finishedAt.toISOString() }),
  };
}

function requestOf(actor: RequestedActor): Pick<z.output<typeof workflowSchema>, 'requestedBy'> {
  const { requestKind, requestBy, requestName, requestId, auditRecordId } = actor;
  if (requestKind === null || requestBy === null) return {};
  const by = { kind: requestKind, id: requestBy, name: requestName ?? '' };
  const record = auditRecordId === null ? {} : { auditRecordId };
  return { requestedBy: { ...by, ...record, ...(requestId === null ? {} : { requestId }) } };
}
