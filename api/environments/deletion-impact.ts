import { z } from 'zod';
import { environmentImpact } from '../../db/environments/removal/impact.ts';
import { operation } from '../engine/operation.ts';
import { environmentPath, theEnvironment } from './environment.ts';

const named = z.object({ id: z.guid(), name: z.string() });
export const sizes = z.object({ count: z.int(), sizeBytes: z.int() });

export const environmentDeletionImpactSchema = z
  .object({
    environment: z.object({ id: z.guid(), name: z.string(), production: z.boolean(), slug: z.string() }),
    namespace: z.string(),
    cluster: z
      .object({ id: z.guid(), name: z.string(), removesNamespace: z.boolean() })
      .optional()
      .describe('Where its services run; absent if it has none. Its space there is its own, and goes with it.'),
    services: z.array(named).describe('They stop at once.'),
    databases: z.array(z.object({ id: z.guid(), name: z.string(), engine: z.string() })),
    stagedServices: z.array(named).describe('Added by its draft alone: they are discarded, and cannot be restored.'),
    stagedChanges: z.int().describe('How many are discarded.'),
    variables: z.int(),
    volumes: sizes,
    domains: z.array(z.object({ exposure: z.string(), hostname: z.string() })),
    backups: sizes,
    archives: z.int(),
    inFlightDeployments: z.int().describe('They are cancelled, or with `wait` end by themselves if they have begun.'),
    pendingApprovals: z.int().describe('They are closed.'),
    lastEnvironment: z.boolean().describe('The project has no other one.'),
    previewBase: z.boolean(),
    previews: z.int(),
  })
  .meta({ id: 'EnvironmentDeletionImpact' });

/** Subjects that no version has yet. */
const nothing = { domains: [], backups: { count: 0, sizeBytes: 0 }, archives: 0, previewBase: false, previews: 0 };

export const environmentDeletionImpact = operation({
  method: 'GET',
  url: '/api/v1/environments/{id}/deletion-impact',
  summary: 'Tell what the deletion of an environment would end',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: environmentPath,
  result: environmentDeletionImpactSchema,
  async handle({ caller, path, database: { kysely } }) {
    const environment = await caller.see(theEnvironment, path.id);
    const { id, name, production, slug, namespace } = environment;
    const { cluster, ...impact } = await environmentImpact(kysely, environment);
    return {
      environment: { id, name, production, slug },
      namespace,
      ...(cluster === null ? {} : { cluster: { ...cluster, removesNamespace: true } }),
      ...impact,
      ...nothing,
    };
  },
});
