import type { Kysely } from 'kysely';
import { deciders, isExchanged } from '../../db/approvals/deciders.ts';
import { approveBuild as approve } from '../../db/builds/variables/approve-build.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { Problem } from '../../domain/problems.ts';
import { mayActAs } from '../../domain/roles.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { operation } from '../engine/operation.ts';
import { buildAnswer, buildPath, buildSchema, theBuild } from './build.ts';

export const approveBuild = operation({
  method: 'POST',
  url: '/api/v1/builds/{id}/approve',
  summary: 'Approve that a build sees the build variables of a production environment',
  description:
    'Of a build that `awaitsApproval`: its source is an upload, a tag, or a commit that is not the head of the connected branch, and any command of it could tell what it is given. Not by the person who requested it, unless only one account may decide. A token counts as the person who made it; tokens of CI jobs never approve. A retry is of the same source and needs no other approval.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'allowed',
  problems: ['not-found', 'already-decided', 'role-too-low'],
  path: buildPath,
  result: buildSchema,
  async handle({ caller, path, effect }) {
    const build = await caller.see(theBuild, path.id, effect.kysely);
    if (await isJob(effect.kysely, caller))
      throw new Problem('role-too-low', 'Tokens of CI jobs do not approve builds: a person does.');
    const own = (build.actorUserId ?? build.requestedById) === caller.countsAs.id;
    if (own && !(await isAlone(effect.kysely, caller))) {
      throw new Problem(
        'role-too-low',
        'You requested this build, so somebody else approves it: any other admin or owner of the organization.',
      );
    }
    await approve(effect, build.id, { name: build.serviceName, by: caller.countsAs });
    return buildAnswer(await caller.see(theBuild, build.id, effect.kysely));
  },
});

/** Who asks for a build and is the only one who may approve it: that is said by asking. */
export async function approvesAlone(
  kysely: Kysely<Tables>,
  caller: OrganizationCaller,
): Promise<{ id: string; name: string } | undefined> {
  if (!mayActAs(caller.role, 'admin') || (await isJob(kysely, caller))) return undefined;
  return (await isAlone(kysely, caller)) ? caller.countsAs : undefined;
}

async function isJob(kysely: Kysely<Tables>, { organization, credential }: OrganizationCaller): Promise<boolean> {
  return credential.kind === 'token' && (await isExchanged(kysely, organization.id, credential.id));
}

/** A token that was made on the machine itself has no person behind it, and stands for who holds the installation. */
async function isAlone(kysely: Kysely<Tables>, { organization, countsAs }: OrganizationCaller): Promise<boolean> {
  return (await deciders(kysely, organization.id)).every((one) => one === countsAs.id);
}
