import { z } from 'zod';
import { admit } from '../../db/deployments/admission.ts';
import { changeProject as change, lockProject, type ProjectFields } from '../../db/projects/projects.ts';
import { changedFields } from '../engine/input/changed-fields.ts';
import { invalidFields } from '../engine/input/input.ts';
import { refuseChangedMeanwhile, withWas } from '../engine/input/meanwhile.ts';
import { operation } from '../engine/operation.ts';
import { projectAnswer, projectDescription, projectName, projectPath, projectSchema, theProject } from './project.ts';
import { ownerOf } from './project-owner.ts';

export const changeProject = operation({
  method: 'PATCH',
  url: '/api/v1/projects/{id}',
  summary: 'Update a project',
  description: 'Omitted fields keep their values; the slug never changes. A member owns it, or a team: not both.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'allowed',
  problems: ['not-found', 'changed-meanwhile'],
  path: projectPath,
  body: withWas(
    z.strictObject({
      name: projectName.optional(),
      description: projectDescription.optional(),
      deployConcurrency: z.int().min(1).max(100).optional(),
      ownerId: z.guid().toLowerCase().optional(),
      teamId: z.guid().toLowerCase().optional(),
    }),
  ),
  result: projectSchema,
  async handle({ caller, path, body, effect }) {
    const project = await caller.see(theProject, path.id, effect.kysely);
    const before = await lockProject(effect, project);
    if (before === undefined) return projectAnswer(await caller.see(theProject, path.id, effect.kysely));
    const { was, ...wanted } = body;
    if (wanted.ownerId !== undefined && wanted.teamId !== undefined) {
      throw invalidFields([{ location: 'body.teamId', message: 'cannot own it besides a member; leave one out' }]);
    }
    const subject = { organizationId: project.organizationId, kind: 'project', id: project.id };
    await refuseChangedMeanwhile<Record<string, unknown>>(effect.kysely, subject, { is: { ...before }, was, wanted });
    const { name, description, deployConcurrency, ownerId, teamId } = wanted;
    const owner = ownerId === undefined && teamId === undefined ? before : await ownerOf(effect, caller, wanted);
    const after: ProjectFields = {
      name: name ?? before.name,
      description: description ?? before.description,
      deployConcurrency: deployConcurrency ?? before.deployConcurrency,
      ownerId: owner.ownerId ?? null,
      teamId: owner.teamId ?? null,
    };
    const details = changedFields(before, after);
    if (Object.keys(details).length === 0) return projectAnswer(project);
    const changed = await change(effect, project, after, details);
    if (after.deployConcurrency !== before.deployConcurrency) {
      // Deployments that wait for a slot may have one now.
      await admit(effect, { organizationId: project.organizationId, projectId: project.id }, { event: 'review' });
    }
    return projectAnswer(changed);
  },
});
