import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { type GuardChange, isLoosened, loosenedTitle } from '../../domain/guards/guards.ts';
import { guardLoosened } from '../../domain/notifications/messages.ts';
import type { Effect } from '../engine/effect.ts';
import { notify } from '../notifications/notify.ts';
import type { JsonValue } from '../postgres/json.ts';
import { tenant } from '../postgres/tenant.ts';

export interface GuardSubject {
  organizationId: string;
  /** Of the environment, service, trusted issuer or person. */
  id: string;
  name: string;
  projectId?: string;
}

/**
 * To be called in the effect of every change of a guard. What had been loosened of it is over; if this loosens it, that is
 * recorded, and every admin and owner is told at once, the one who did it included.
 */
export async function guardChanged(effect: Effect, subject: GuardSubject, change: GuardChange): Promise<void> {
  const { guard, before, after } = change;
  if (isDeepStrictEqual(before, after)) return;
  const { organizationId, id: subjectId, name, projectId } = subject;
  await endOpen(effect, subject, guard);
  if (!isLoosened(change)) return;
  const { author } = effect;
  const id = uuid();
  await tenant(effect.kysely, organizationId)
    .insertInto('guard_loosening')
    .values({
      ...{ id, project_id: projectId ?? null, guard, subject_id: subjectId, subject_name: name },
      ...{ before: before === null ? null : json(before), after: json(after) },
      ...{ by_kind: author.kind, by_id: author.id, by_name: author.name },
    })
    .execute();
  const project = projectId === undefined ? '' : await projectName(effect, organizationId, projectId);
  const loosened = { guard, name, project, before, after };
  effect.audit(
    'guard.loosened',
    { organizationId, id, name: loosenedTitle(loosened) },
    { guard, subjectId, before: before as JsonValue, after: after as JsonValue },
  );
  effect.change({ organizationId, kind: 'guard', id });
  await notify(effect, {
    organizationId,
    occasion: `guard ${id} loosened`,
    message: guardLoosened({ id, by: author.name, ...loosened }),
    to: { admins: true },
    channels: { chat: true, alsoOf: 'failure' },
  });
}

async function endOpen(
  effect: Effect,
  { organizationId, id: subjectId }: GuardSubject,
  guard: GuardChange['guard'],
): Promise<void> {
  const ended = await tenant(effect.kysely, organizationId)
    .updateTable('guard_loosening')
    .set({ ended_at: sql`clock_timestamp()`, ended_by_name: effect.author.name })
    .where('guard', '=', guard)
    .where('subject_id', '=', subjectId)
    .where('ended_at', 'is', null)
    .returning('id')
    .execute();
  for (const { id } of ended) effect.change({ organizationId, kind: 'guard', id });
}

async function projectName({ kysely }: Effect, organizationId: string, id: string): Promise<string> {
  const project = tenant(kysely, organizationId).selectFrom('project').select('name').where('id', '=', id);
  return (await project.executeTakeFirst())?.name ?? '';
}

/** As the driver writes it: a boolean and a text alone are no JSON to it. */
function json(value: unknown) {
  return sql<JsonValue>`${JSON.stringify(value)}::jsonb`;
}
