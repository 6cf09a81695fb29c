import { type Kysely, sql } from 'kysely';
import type { Effect } from '../engine/effect.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';

export type LooseningView = NonNullable<Awaited<ReturnType<typeof findLoosening>>>;

export async function findLoosening(kysely: Kysely<Tables>, organizationId: string, id: string) {
  return await tenant(kysely, organizationId)
    .selectFrom('guard_loosening as loosening')
    .leftJoin('project', 'project.id', 'loosening.project_id')
    .select(['loosening.id', 'loosening.organization_id as organizationId', 'loosening.guard'])
    .select(['loosening.subject_id as subjectId', 'loosening.subject_name as subjectName'])
    .select(['loosening.project_id as projectId', sql<string>`coalesce(project.name, '')`.as('projectName')])
    .select(['loosening.before', 'loosening.after', 'loosening.by_name as by', 'loosening.created_at as createdAt'])
    .select(['loosening.ended_at as endedAt', 'loosening.ended_by_name as endedBy', 'loosening.undone'])
    .where('loosening.id', '=', id)
    .executeTakeFirst();
}

export async function markUndone({ kysely }: Effect, organizationId: string, id: string): Promise<void> {
  await tenant(kysely, organizationId)
    .updateTable('guard_loosening')
    .set({ undone: true })
    .where('id', '=', id)
    .execute();
}
