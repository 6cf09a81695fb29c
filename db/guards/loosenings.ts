import { type Kysely, sql } from 'kysely';
import type { TrustedJobs } from '../../domain/guards/guards.ts';
import { Problem } from '../../domain/problems.ts';
import type { Role } from '../../domain/roles.ts';
import type { Effect } from '../engine/effect.ts';
import { changeEnvironment, lockEnvironment } from '../environments/environments.ts';
import { changeRole, removeMember } from '../members/members.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import { changeService, lockService } from '../services/services.ts';
import { deleteTrustedIssuer, lockTrustedIssuer, updateTrustedIssuer } from '../trusted-issuers/trusted-issuers.ts';

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

async function markUndone({ kysely }: Effect, organizationId: string, id: string): Promise<void> {
  await tenant(kysely, organizationId)
    .updateTable('guard_loosening')
    .set({ undone: true })
    .where('id', '=', id)
    .execute();
}

/**
 * Makes a guard again what it was before it was loosened, if nobody has changed it since. The change itself is an ordinary one, with
 * its own rules, audit record and hint.
 */
export async function undoLoosening(
  effect: Effect,
  { id, organizationId }: Pick<LooseningView, 'id' | 'organizationId'>,
  asRole: Role,
): Promise<LooseningView> {
  const loosening = await written(effect, organizationId, id);
  await undoings[loosening.guard](effect, loosening, asRole);
  await markUndone(effect, organizationId, id);
  effect.audit(
    'guard.undone',
    { organizationId, id, name: loosening.subjectName },
    { guard: loosening.guard, subjectId: loosening.subjectId },
  );
  effect.change({ organizationId, kind: 'guard', id });
  return await written(effect, organizationId, id);
}

async function written(effect: Effect, organizationId: string, id: string): Promise<LooseningView> {
  const loosening = await findLoosening(effect.kysely, organizationId, id);
  if (loosening === undefined) throw new Problem('not-found', 'There is no such loosened guard.');
  return loosening;
}

/** To be asked under the lock of its subject, so that of two who undo it one does. */
async function refuseEnded(effect: Effect, { organizationId, id }: LooseningView): Promise<void> {
  const { endedAt, endedBy, undone } = await written(effect, organizationId, id);
  if (endedAt === null) return;
  const at = endedAt.toISOString();
  throw new Problem(
    'conflict',
    undone
      ? `It was undone already, by ${endedBy} at ${at}.`
      : `It was changed again since, by ${endedBy} at ${at}: look at it as it is now.`,
  );
}

type Undoing = (effect: Effect, loosening: LooseningView, asRole: Role) => Promise<void>;

const undoings: Readonly<Record<LooseningView['guard'], Undoing>> = {
  production: async (effect, loosening) => {
    const environment = placeOf(loosening);
    const is = await lockEnvironment(effect, environment);
    await refuseEnded(effect, loosening);
    if (is === undefined) throw gone('environment', loosening);
    const after = { ...is, production: true };
    await changeEnvironment(effect, environment, { before: is, after }, { production: { from: false, to: true } });
  },
  'skip-approval': async (effect, loosening) => {
    const service = placeOf(loosening);
    const is = await lockService(effect, service);
    await refuseEnded(effect, loosening);
    if (is === undefined) throw gone('service', loosening);
    const change = { skipProductionApproval: { to: false, by: effect.author.name } };
    await changeService(effect, { ...service, name: is.name }, change, { skip: { from: true, to: false } });
  },
  'trusted-issuer': async (effect, loosening) => {
    const { organizationId, subjectId: id, before } = loosening;
    const is = await lockTrustedIssuer(effect, organizationId, id);
    await refuseEnded(effect, loosening);
    if (is === undefined) throw gone('trusted issuer', loosening);
    if (before === null) await deleteTrustedIssuer(effect, organizationId, id);
    else await updateTrustedIssuer(effect, organizationId, is, { ...is, ...(before as unknown as TrustedJobs) });
  },
  role: async (effect, loosening, asRole) => {
    const { organizationId, subjectId: userId, before } = loosening;
    const member = { organizationId, userId, asRole };
    const check = () => refuseEnded(effect, loosening);
    const done =
      before === null
        ? await removeMember(effect, member, check)
        : await changeRole(effect, { ...member, role: before as Role }, check);
    if (done !== undefined) return;
    await refuseEnded(effect, loosening);
    throw gone('member', loosening);
  },
};

function placeOf({ organizationId, projectId, subjectId: id }: LooseningView) {
  return { id, organizationId, projectId: projectId ?? '' };
}

function gone(noun: string, { subjectName: name }: LooseningView): Problem {
  return new Problem('conflict', `The ${noun} "${name}" was deleted: nothing is left to undo.`);
}
