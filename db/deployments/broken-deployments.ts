import { sql } from 'kysely';
import { type BrokenSource, brokenColumns, placeNames } from '../attention/broken.ts';

/** Of each service in an environment, so many of the last deployments are looked at for one that came to a result. */
const recent = 20;

/**
 * Services whose last deployment that came to a result failed: what they should run does not. And those of whose live release
 * visitors get something else.
 */
export const brokenDeployments: readonly BrokenSource[] = [
  {
    role: 'viewer',
    select: (organizationId) => sql`
      select ${brokenColumns(sql`12`, sql`'deployment.failed'`, sql`result.id`, {
        name: sql`service.name`,
        detail: sql`result.message`,
        deployment: sql`json_build_object('id', result.id, 'releaseNumber', release.number,
          'environmentName', environment.name, 'projectName', project.name)`,
      })}
      from environment_service place
      ${placeNames}
      cross join lateral (
        select * from (
          select deployment.id, deployment.state, deployment.message, deployment.release_id from deployment
          where deployment.organization_id = ${organizationId} and deployment.environment_id = place.environment_id
            and deployment.service_id = place.service_id
          order by deployment.created_at desc, deployment.id desc limit ${recent}
        ) before where before.state in ('live', 'failed') limit 1
      ) result
      join release on release.id = result.release_id
      where place.organization_id = ${organizationId} and result.state = 'failed'`,
  },
  {
    role: 'viewer',
    select: (organizationId) => sql`
      select ${brokenColumns(sql`22`, sql`'deployment.warned'`, sql`serving.id`, {
        name: sql`service.name`,
        deployment: sql`json_build_object('id', serving.id, 'releaseNumber', release.number, 'warnings', serving.warnings,
          'environmentName', environment.name, 'projectName', project.name)`,
      })}
      from environment_service place
      ${placeNames}
      join deployment serving on serving.organization_id = ${organizationId} and serving.id = place.live_deployment_id
      join release on release.id = serving.release_id
      where place.organization_id = ${organizationId} and not place.suspended and serving.warnings <> '[]'`,
  },
];
