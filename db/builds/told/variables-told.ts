import { type RawBuilder, sql } from 'kysely';
import { type BrokenSource, brokenColumns, placeNames } from '../../attention/broken.ts';
import { awaitsApproval } from '../variables/awaiting-approval.ts';
import { lastBuilt } from './last-built.ts';

const buildOf = (build: 'built' | 'build') => sql`json_build_object('id', ${sql.ref(`${build}.id`)},
  'number', ${sql.ref(`${build}.number`)}, 'logLines', ${sql.ref(`${build}.log_lines`)},
  'environmentName', environment.name, 'projectName', project.name)`;

const fromBefore = sql`variable.build_time is null`;
const changedSince = sql`variable.build_time in ('also', 'only') and variable.updated_at > built.started_at`;

/** Beside `place`: the names of some of its service's variables there, at most five by name, and how many there are. */
const variables = (organizationId: string, where: RawBuilder<unknown>) => sql`cross join lateral (
  select count(*) as count, max(one.updated_at) as changed,
    concat_ws(' and ', string_agg(one.key, ', ' order by one.key) filter (where one.position <= 5),
      case when count(*) > 5 then concat(count(*) - 5, ' more') end) as names
  from (
    select key, updated_at, row_number() over (order by key) as position from variable
    where variable.organization_id = ${organizationId} and variable.environment_id = place.environment_id
      and variable.service_id = place.service_id and ${where}
  ) one
) seen`;

/**
 * Variables and builds that do not fit each other: what builds do not see any more since they were told apart, values that have changed
 * since the image was made of a folder, and builds that wait until somebody approves that they see those of production.
 */
export const buildVariablesTold: readonly BrokenSource[] = [
  {
    role: 'viewer',
    select: (organizationId) => sql`
      select ${brokenColumns(sql`31`, sql`'build.fewer-variables'`, sql`built.id`, {
        name: sql`service.name`,
        detail: sql`concat('Its next build does not see ', seen.names, ': give those that it needs to builds.')`,
        build: buildOf('built'),
      })}
      from environment_service place ${placeNames} ${lastBuilt(organizationId)}
      ${variables(organizationId, fromBefore)}
      where place.organization_id = ${organizationId} and built.variables_digest is null and seen.count > 0`,
  },
  {
    role: 'viewer',
    select: (organizationId) => sql`
      select ${brokenColumns(sql`30`, sql`'build.values-changed'`, sql`built.id`, {
        name: sql`service.name`,
        detail: sql`concat(seen.names, ' changed since: its image has the values of before. Build it again.')`,
        build: buildOf('built'),
      })}
      from environment_service place ${placeNames} ${lastBuilt(organizationId)}
      ${variables(organizationId, changedSince)}
      where place.organization_id = ${organizationId} and built.variables_digest is not null and seen.count > 0
        and not exists (select from build open where open.organization_id = ${organizationId}
          and open.service_id = place.service_id and open.environment_id = place.environment_id and open.finished_at is null)`,
  },
  {
    role: 'admin',
    select: (organizationId) => sql`
      select ${brokenColumns(sql`20`, sql`'build.awaits-approval'`, sql`build.id`, {
        name: sql`service.name`,
        detail: sql`concat('Asked for by ', build.requested_by_name, '.')`,
        build: buildOf('build'),
      })}
      from build
      join environment_service place on place.organization_id = build.organization_id
        and place.environment_id = build.environment_id and place.service_id = build.service_id
      ${placeNames}
      where build.organization_id = ${organizationId} and build.finished_at is null and build.state = 'queued'
        and ${awaitsApproval}`,
  },
];
