import { z } from 'zod';
import { listDeploymentEvents } from '../../db/deployments/list-events.ts';
import { deploymentEventKinds } from '../../domain/deployments/states.ts';
import { operation } from '../engine/operation.ts';
import { deploymentPath, theDeployment } from './deployment.ts';

const eventSchema = z
  .object({
    id: z.guid(),
    kind: z.enum(deploymentEventKinds),
    stage: z.string(),
    blocker: z.string(),
    message: z.string(),
    decision: z.string(),
    decidedBy: z.string(),
    at: z.iso.datetime(),
  })
  .meta({ id: 'DeploymentEvent' });

export const listEvents = operation({
  method: 'GET',
  url: '/api/v1/deployments/{id}/events',
  summary: 'List the events of a deployment, oldest first',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: deploymentPath,
  paged: { after: z.strictObject({ at: z.iso.datetime(), id: z.guid() }) },
  result: eventSchema,
  async handle({ caller, path, database, page: { limit, after } }) {
    const { id } = await caller.see(theDeployment, path.id);
    const ref = { deploymentId: id, organizationId: caller.organization.id };
    const events = await listDeploymentEvents(database.kysely, ref, { limit: limit + 1, after });
    const items = events.slice(0, limit).map((event) => ({ ...event, at: event.at.toISOString() }));
    const last = events.length > limit ? items.at(-1) : undefined;
    return { items, after: last && { at: last.at, id: last.id } };
  },
});
