import { z } from 'zod';
import { referredServices } from '../../db/references/referred.ts';
import { liveFiles } from '../../db/releases/live-files.ts';
import { servicesBySlug } from '../../db/services/dependencies.ts';
import { listServices as servicesOf } from '../../db/services/services.ts';
import { wantedSettings } from '../../db/services/wanted-settings.ts';
import { Problem } from '../../domain/problems.ts';
import { soughtText } from '../engine/input/line.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { theEnvironment } from '../environments/environment.ts';
import { projectPath, theProject } from '../projects/project.ts';
import { serviceAnswer, serviceSchema } from './service.ts';

export const listServices = operation({
  method: 'GET',
  url: '/api/v1/projects/{id}/services',
  summary: 'List the services of a project, oldest first',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: projectPath,
  query: z.strictObject({
    q: soughtText('its name'),
    environmentId: z
      .guid()
      .toLowerCase()
      .optional()
      .describe('Only the services of this environment, with the settings wanted there.'),
  }),
  paged: { after: createdPosition },
  result: serviceSchema,
  async handle({ caller, path, query, database: { kysely }, page }) {
    const project = await caller.see(theProject, path.id);
    const environmentId = query.environmentId && (await environmentOf(query.environmentId));
    const services = await servicesOf(kysely, project, { ...oneMore(page), q: query.q, environmentId });
    const settings = environmentId === undefined ? undefined : await wantedIn(environmentId);
    const place = { organizationId: project.organizationId, environmentId: environmentId ?? '' };
    const referred = environmentId === undefined ? undefined : await referredServices(kysely, place, idsOf(services));
    const files = environmentId === undefined ? undefined : await liveFiles(kysely, place, idsOf(services));
    const dependencies = services.flatMap(({ id, definition }) => [
      ...(settings?.get(id) ?? definition).dependsOn,
      ...(files?.get(id)?.effective.dependsOn ?? []),
    ]);
    const bySlug = await servicesBySlug(kysely, { ...project, projectId: project.id }, [...new Set(dependencies)]);
    return pageOf(
      services,
      page,
      ({ id }) => id,
      (service) => {
        const { id } = service;
        return serviceAnswer(service, bySlug, settings?.get(id), referred?.get(id), files?.get(id));
      },
    );

    async function environmentOf(environmentId: string) {
      const { projectId, id } = await caller.see(theEnvironment, environmentId);
      if (projectId !== project.id) throw new Problem('not-found', 'The environment is of another project.');
      return id;
    }

    async function wantedIn(environmentId: string) {
      const place = { organizationId: project.organizationId, environmentId };
      return await wantedSettings(kysely, place, idsOf(services));
    }
  },
});

function idsOf(services: readonly { id: string }[]): string[] {
  return services.map(({ id }) => id);
}
