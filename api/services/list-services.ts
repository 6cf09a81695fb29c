import { z } from 'zod';
import { referredServices } from '../../db/references/referred.ts';
import { driftOf } from '../../db/releases/drift.ts';
import { liveFiles } from '../../db/releases/releases.ts';
import { servicesBySlug } from '../../db/services/dependencies.ts';
import { listServices as servicesOf } from '../../db/services/services.ts';
import { wantedSettings } from '../../db/services/wanted-settings.ts';
import { type DriftItem, driftKinds } from '../../domain/releases/drift.ts';
import { soughtText } from '../engine/input/line.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { theProject } from '../projects/project.ts';
import { serviceAnswer, serviceSchema, theService } from './service.ts';
import { environmentOf } from './service-place.ts';

export const listServices = operation({
  method: 'GET',
  url: '/api/v1/projects/{id}/services',
  summary: 'List the services of a project, oldest first',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theProject,
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
  async handle({ found: project, caller, query, database: { kysely }, page }) {
    const of = { projectId: project.id };
    const environmentId = query.environmentId && (await environmentOf(caller, of, query.environmentId)).id;
    const services = await servicesOf(kysely, project, { ...oneMore(page), q: query.q, environmentId });
    const { organizationId } = project;
    const place = environmentId === undefined ? undefined : { organizationId, environmentId };
    const ids = services.map(({ id }) => id);
    const settings = place && (await wantedSettings(kysely, place, ids));
    const referred = place && (await referredServices(kysely, place, ids));
    const files = place && (await liveFiles(kysely, place, ids));
    const dependencies = services.flatMap(({ id, definition }) => [
      ...(settings?.get(id) ?? definition).dependsOn,
      ...(files?.get(id)?.effective.dependsOn ?? []),
    ]);
    const bySlug = await servicesBySlug(kysely, { ...project, projectId: project.id }, [...new Set(dependencies)]);
    return pageOf(services, page, (service) => {
      const { id } = service;
      return serviceAnswer(service, bySlug, settings?.get(id), referred?.get(id), files?.get(id));
    });
  },
});

export const driftItemSchema = z
  .object({
    kind: z.enum(driftKinds),
    key: z.string(),
    label: z.string().describe('The change in words.'),
    from: z.string().describe('What runs, as JSON text; empty where there is none, and of secrets.'),
    to: z.string().describe('What is applied, as JSON text; empty where there is none, and of secrets.'),
    secret: z.boolean(),
  })
  .meta({ id: 'DriftItem' });

export const serviceDrift = operation({
  method: 'GET',
  url: '/api/v1/services/{id}/drift',
  summary: 'List what is applied of a service in an environment and not live',
  description:
    'Compares the applied settings and variables, with the values that they refer to, with the live release. Staged changes are no part of it. Empty where nothing is live. Secrets are not opened: one is listed if it was applied since.',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theService,
  query: z.strictObject({ environmentId: z.guid().toLowerCase() }),
  result: z.object({ items: z.array(driftItemSchema) }).meta({ id: 'ServiceDrift' }),
  async handle({ found: service, caller, query, database: { kysely } }) {
    const environment = await environmentOf(caller, service, query.environmentId);
    const place = { organizationId: service.organizationId, environmentId: environment.id };
    const items = (await driftOf(kysely, place, [service.id])).get(service.id) ?? [];
    return { items: items.map(driftAnswer) };
  },
});

function driftAnswer({ from, to, ...item }: DriftItem): z.output<typeof driftItemSchema> {
  return { ...item, from: textOf(from), to: textOf(to) };
}

function textOf(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value);
}
