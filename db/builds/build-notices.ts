import { type RawBuilder, sql } from 'kysely';
import type { BuildState } from '../../domain/builds/states.ts';
import {
  buildAwaitsApproval,
  buildFailed,
  buildNotDeployed,
  type EndedBuild,
} from '../../domain/notifications/messages.ts';
import { type BrokenSource, brokenColumns, placeNames } from '../attention/broken.ts';
import type { Effect } from '../engine/effect.ts';
import { notify } from '../notifications/notify.ts';
import type { NewBuild } from './new-build.ts';
import { awaitsApproval, isAwaiting, seenBy } from './variables/awaiting-approval.ts';

/** Tells those who may approve a build which was just requested that it awaits them: admins and owners, but not who requested it. */
export async function askForApproval(
  effect: Effect,
  build: NewBuild & { id: string; number: number; environment: string; service: string },
): Promise<void> {
  if (!(await isAwaiting(effect, build))) return;
  const { id, organizationId, source, actorUserId } = build;
  const { author } = effect;
  await notify(effect, {
    organizationId,
    occasion: `build ${id} awaits approval`,
    message: buildAwaitsApproval({
      ...build,
      ...{ buildId: id, requestedBy: author.name, variables: await seenBy(effect, build) },
      commit: source.kind === 'upload' ? '' : `${source.commit.slice(0, 12)} of ${source.repository || source.url}`,
    }),
    to: { admins: true, except: actorUserId === undefined ? author : { kind: 'user', id: actorUserId } },
    channels: { chat: true },
  });
}

/** Of each service in an environment, so many of the last builds are looked at for one that came to a result. */
const recent = 20;

/** Beside `place`, a service in an environment: `built`, its newest build that came to a result. */
export function lastBuilt(organizationId: string): RawBuilder<unknown> {
  return sql`cross join lateral (
    select * from (
      select * from build
      where build.organization_id = ${organizationId} and build.service_id = place.service_id
        and build.environment_id = place.environment_id
      order by build.created_at desc, build.id desc limit ${recent}
    ) before where before.state in ('failed', 'succeeded') limit 1
  ) built`;
}

/** Since that build ended, a release of what it built, or one that was promoted, went live; it may be another one that serves now. */
const replaced = sql`exists (
  select from deployment
  join release on release.organization_id = place.organization_id and release.id = deployment.release_id
  where deployment.organization_id = place.organization_id and deployment.environment_id = place.environment_id
    and deployment.service_id = place.service_id
    and (deployment.id = place.live_deployment_id or (deployment.state = 'live' and deployment.finished_at > built.finished_at))
    and (release.build_id = built.id or release.promoted_from_release_id is not null))`;

/**
 * That build brought nothing live: it failed, or its image could not be deployed. It is of no concern any more once what it
 * built, a promoted release or an image of elsewhere went live.
 */
export const builtInVain = sql`(
  (built.state = 'failed' or built.release_error is not null)
  and not coalesce(place.live_at > built.finished_at
    and (place.settings -> 'source' ->> 'kind' = 'image' or ${replaced}), false))`;

/** The ids of such builds, of one service or environment where these are given. */
export function buildsInVain(
  organizationId: string,
  { environmentId, serviceId }: { environmentId?: string | undefined; serviceId?: string | undefined },
): RawBuilder<unknown> {
  return sql`
    select built.id from environment_service place ${lastBuilt(organizationId)}
    where place.organization_id = ${organizationId} and ${builtInVain}
      and ${environmentId === undefined ? sql`true` : sql`place.environment_id = ${environmentId}`}
      and ${serviceId === undefined ? sql`true` : sql`place.service_id = ${serviceId}`}`;
}

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

/**
 * Who started a build hears that it failed, or that it was built and not deployed; chats do so of production. Others, such as one that
 * was cancelled or superseded, tell nobody.
 */
export async function notifyEnded(
  effect: Effect,
  { id, organizationId }: { id: string; organizationId: string },
  state: BuildState,
): Promise<void> {
  if (state !== 'failed' && state !== 'succeeded') return;
  const found = await endedBuild(effect, organizationId, id);
  if (found === undefined) return;
  const { production, starterId, message, releaseError, ...names } = found;
  if (state === 'succeeded' && releaseError === null) return;
  const ended: EndedBuild = { ...names, buildId: id, reason: (state === 'failed' ? message : releaseError) ?? '' };
  await notify(effect, {
    organizationId,
    occasion: `build ${id} ${state === 'failed' ? 'failed' : 'not deployed'}`,
    message: state === 'failed' ? buildFailed(ended) : buildNotDeployed(ended),
    to: starterId === null ? {} : { requester: { kind: 'user', id: starterId } },
    ...(production ? { channels: { chat: true } } : {}),
  });
}

interface Ended extends Omit<EndedBuild, 'buildId' | 'reason'> {
  production: boolean;
  starterId: string | null;
  message: string | null;
  releaseError: string | null;
}

async function endedBuild({ kysely }: Effect, organizationId: string, id: string): Promise<Ended | undefined> {
  const { rows } = await sql<Ended>`
    select build.project_id as "projectId", environment.id as "environmentId", environment.name as environment,
      environment.production, service.id as "serviceId", service.name as service, build.number,
      build.actor_user_id as "starterId", build.message, build.release_error as "releaseError"
    from build
    join environment on environment.organization_id = build.organization_id and environment.id = build.environment_id
    join service on service.organization_id = build.organization_id and service.id = build.service_id
    where build.organization_id = ${organizationId} and build.id = ${id}
  `.execute(kysely);
  return rows[0];
}

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
