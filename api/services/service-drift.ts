import { z } from 'zod';
import { driftOf } from '../../db/releases/drift.ts';
import { Problem } from '../../domain/problems.ts';
import { type DriftItem, driftKinds } from '../../domain/releases/drift.ts';
import { operation } from '../engine/operation.ts';
import { theEnvironment } from '../environments/environment.ts';
import { servicePath, theService } from './service.ts';

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
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: servicePath,
  query: z.strictObject({ environmentId: z.guid().toLowerCase() }),
  result: z.object({ items: z.array(driftItemSchema) }).meta({ id: 'ServiceDrift' }),
  async handle({ caller, path, query, database: { kysely } }) {
    const service = await caller.see(theService, path.id);
    const environment = await caller.see(theEnvironment, query.environmentId);
    if (environment.projectId !== service.projectId) {
      throw new Problem('not-found', 'The environment is of another project.');
    }
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
