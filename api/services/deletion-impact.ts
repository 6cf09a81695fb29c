import { z } from 'zod';
import { deletionImpact as impactOf } from '../../db/services/removal/impact.ts';
import { deploymentStates } from '../../domain/deployments/states.ts';
import { roles } from '../../domain/roles.ts';
import { operation } from '../engine/operation.ts';
import { roleToDelete } from './role-to-delete.ts';
import { servicePath, theService } from './service.ts';

const held = z.object({ id: z.guid(), environmentId: z.guid(), environmentName: z.string() });

export const deletionImpactSchema = z
  .object({
    role: z.enum(roles).describe('Who may delete it: an admin if it runs in production.'),
    environments: z.array(z.object({ id: z.guid(), name: z.string(), production: z.boolean(), live: z.boolean() })),
    deployments: z
      .array(
        z.object({
          id: z.guid(),
          environmentId: z.guid(),
          environmentName: z.string(),
          state: z.enum(deploymentStates),
        }),
      )
      .describe('Those that are not over: they are cancelled, or with `wait` end by themselves if they have begun.'),
    approvals: z.array(held).describe('Closed with it.'),
    stagedChanges: z.int().describe('How many are dropped.'),
    dependents: z
      .array(z.object({ id: z.guid(), name: z.string(), slug: z.string(), environments: z.array(z.string()) }))
      .describe('Services that depend on it: it cannot be deleted as long as there are any.'),
    references: z
      .array(
        z.object({ environmentId: z.guid(), environmentName: z.string(), variable: z.string(), refersTo: z.string() }),
      )
      .describe(
        'Values of other services and shared variables that refer to it, applied or staged: `shared.URL` refers to `db.HOST`. It cannot be deleted as long as there are any.',
      ),
    heldWith: z.array(held).describe('Approvals about it and others: they are decided before it can be deleted.'),
  })
  .meta({ id: 'ServiceDeletionImpact' });

export const deletionImpact = operation({
  method: 'GET',
  url: '/api/v1/services/{id}/deletion-impact',
  summary: 'Tell what the deletion of a service would end',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: servicePath,
  result: deletionImpactSchema,
  async handle({ caller, path, database: { kysely } }) {
    const service = await caller.see(theService, path.id);
    const { approvals, heldWith, ...impact } = await impactOf(kysely, service);
    return {
      role: roleToDelete(impact),
      ...impact,
      approvals: approvals.map(({ changeSetId: _, ...one }) => one),
      heldWith: heldWith.map(({ changeSetId: _, ...one }) => one),
    };
  },
});
