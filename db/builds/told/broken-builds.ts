import { sql } from 'kysely';
import { type BrokenSource, brokenColumns, placeNames } from '../../attention/broken.ts';
import { builtInVain, lastBuilt } from './last-built.ts';

const failed = sql`built.state = 'failed'`;

/** Services whose newest build that came to a result failed, or whose image could not be deployed. */
export const brokenBuilds: readonly BrokenSource[] = [
  {
    role: 'viewer',
    select: (organizationId) => sql`
      select ${brokenColumns(
        sql`case when ${failed} then 12 else 21 end`,
        sql`case when ${failed} then 'build.failed' else 'build.not-deployed' end`,
        sql`built.id`,
        {
          name: sql`service.name`,
          // Messages have lines of the log in them.
          detail: sql`left(case when ${failed} then built.message else built.release_error end, 1000)`,
          build: sql`json_build_object('id', built.id, 'number', built.number, 'logLines', built.log_lines,
            'environmentName', environment.name, 'projectName', project.name)`,
        },
      )}
      from environment_service place
      ${placeNames}
      ${lastBuilt(organizationId)}
      where place.organization_id = ${organizationId} and ${builtInVain}`,
  },
];
