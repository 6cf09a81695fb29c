import { z } from 'zod';
import type { Effect } from '../../db/engine/effect.ts';
import {
  type AllowedProjects,
  everyProject,
  type SourceCredentialRef,
  type UsedFor,
} from '../../db/source-credentials/allowed-projects.ts';
import { changeAllowedProjects, lockAllowedProjects } from '../../db/source-credentials/change-projects.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { invalidField } from '../engine/input/input.ts';
import { refuseChangedMeanwhile, withWas } from '../engine/input/meanwhile.ts';
import { chosenProjects, refuseOtherProjects } from '../projects/project.ts';

/** Fields of a Git connection or a registry credential that say which projects may use it. */
const fields = {
  allProjects: z
    .boolean()
    .describe('Whether all projects may use it, those to come as well. False where `projectIds` is given.'),
  projectIds: chosenProjects.describe('The projects that may use it, unless all may; an empty list means none.'),
};

export const newProjects = {
  allProjects: fields.allProjects.optional(),
  projectIds: fields.projectIds.optional().describe('The projects that may use it; left out, all may.'),
};

export const shownProjects = {
  allProjects: z.boolean().describe('Whether all projects may use it, those to come as well.'),
  projectIds: z
    .array(z.guid())
    .describe('The projects that may use it, unless all may; to a token that is limited to projects, those of them.'),
};

/** The part of the list that a limited token sees: other projects are not there for it. */
export function projectsShownTo<Of extends AllowedProjects>(caller: OrganizationCaller, credential: Of): Of {
  return { ...credential, projectIds: credential.projectIds.filter((id) => caller.seesProject(id)) };
}

/** On whose behalf a caller uses what it names without a project. */
export function usedForOf({ projectIds }: OrganizationCaller): UsedFor {
  return projectIds ?? 'organization';
}

/** Fields of a resource (engine/resource.ts): a limited token sees those that one of its projects may use. */
export function projectsOf({ allProjects, projectIds }: AllowedProjects): readonly string[] | 'all' {
  return allProjects ? 'all' : projectIds;
}

interface ProjectsBody {
  allProjects?: boolean | undefined;
  projectIds?: string[] | undefined;
}

/** The list that a request asks for: one that names projects never means all of them. */
export async function wantedProjects(
  effect: Pick<Effect, 'kysely'>,
  { organization }: OrganizationCaller,
  { allProjects, projectIds }: ProjectsBody,
  before: AllowedProjects = everyProject,
): Promise<AllowedProjects> {
  if (allProjects === true) {
    if (projectIds?.length) {
      const message = 'names projects, but allProjects is true: leave one of them out';
      throw invalidField('body.projectIds', message, projectIds);
    }
    return everyProject;
  }
  await refuseOtherProjects(effect, organization.id, projectIds);
  if (allProjects === undefined && projectIds === undefined) return before;
  return { allProjects: false, projectIds: [...new Set(projectIds ?? before.projectIds)].toSorted() };
}

export const projectsBody = withWas(z.strictObject(fields).partial());

/** Changes who may use a credential, as the body says. */
export async function changeProjects(
  effect: Effect,
  caller: OrganizationCaller,
  credential: SourceCredentialRef,
  { was, ...wanted }: z.output<typeof projectsBody>,
): Promise<void> {
  const before = await lockAllowedProjects(effect, credential);
  if (before === undefined) return;
  const sorted = <Fields extends ProjectsBody>(given: Fields) => ({
    ...given,
    projectIds: given.projectIds?.toSorted(),
  });
  const subject = { organizationId: credential.organizationId, kind: credential.kind, id: credential.id };
  await refuseChangedMeanwhile<AllowedProjects>(effect.kysely, subject, {
    is: { allProjects: before.allProjects, projectIds: before.projectIds },
    was: was && sorted(was),
    wanted: sorted(wanted),
  });
  await changeAllowedProjects(effect, credential, before, await wantedProjects(effect, caller, wanted, before));
}
