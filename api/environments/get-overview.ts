import { z } from 'zod';
import { findCluster } from '../../db/clusters/clusters.ts';
import { overviewOf } from '../../db/environments/overview.ts';
import { driftOf } from '../../db/releases/drift.ts';
import { asOf, asOfSchema } from '../clusters/as-of.ts';
import { operation } from '../engine/operation.ts';
import { environmentPath, theEnvironment } from './environment.ts';
import { overviewCluster, overviewServiceAnswer, overviewServiceSchema } from './overview-service.ts';

export const getOverview = operation({
  method: 'GET',
  url: '/api/v1/environments/{id}/overview',
  summary: 'Get the services of an environment with their releases, deployments and health',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: environmentPath,
  result: z.object({ services: z.array(overviewServiceSchema), asOf: asOfSchema.optional() }).meta({ id: 'Overview' }),
  async handle({ caller, path, database: { kysely } }) {
    const environment = await caller.see(theEnvironment, path.id);
    const { organizationId, clusterId } = environment;
    const cluster = clusterId === null ? undefined : await findCluster(kysely, organizationId, clusterId);
    const rows = await overviewOf(kysely, environment);
    const drifts = rows.filter(({ drift }) => drift).map(({ serviceId }) => serviceId);
    const place = { organizationId, environmentId: environment.id };
    const drifting = await driftOf(kysely, place, drifts, { values: false });
    const shared = overviewCluster(cluster);
    return {
      services: rows.map((row) => overviewServiceAnswer(row, shared, drifting.get(row.serviceId))),
      ...(cluster === undefined ? {} : asOf(cluster)),
    };
  },
});
