import { type RawBuilder, sql } from 'kysely';
import { looseningDays } from '../../domain/guards/guards.ts';
import { type BrokenSource, brokenColumns } from '../attention/broken.ts';

/** Of what was deployed meanwhile, so many are named, the newest first. */
const mostNamed = 20;

/** Guards of production that were loosened lately, with what was deployed by it until they were changed again. */
export const loosenedGuards: readonly BrokenSource[] = [
  {
    role: 'admin',
    select: (organizationId) => sql`
      select ${brokenColumns(
        sql`case when loosening.ended_at is null then 13 else 40 end`,
        sql`'guard.loosened'`,
        sql`loosening.id`,
        {
          name: sql`loosening.subject_name`,
          loosening: sql`jsonb_build_object('id', loosening.id, 'guard', loosening.guard,
            'subjectId', loosening.subject_id, 'subjectName', loosening.subject_name,
            'projectId', loosening.project_id, 'projectName', coalesce(project.name, ''), 'before', loosening.before,
            'after', loosening.after, 'by', loosening.by_name, 'createdAt', loosening.created_at,
            'endedAt', loosening.ended_at, 'endedBy', loosening.ended_by_name, 'undone', loosening.undone,
            'deployed', deployed.named, 'deployedCount', deployed.count)`,
        },
      )}
      from guard_loosening loosening
      left join project on project.organization_id = ${organizationId} and project.id = loosening.project_id
      cross join lateral (${deployedBy(organizationId)}) deployed
      where loosening.organization_id = ${organizationId}
        and loosening.created_at > now() - make_interval(days => ${looseningDays})`,
  },
];

/** Deployments of production that began meanwhile and that the guard would have held, or that are of the person or the jobs it let in. */
function deployedBy(organizationId: string): RawBuilder<unknown> {
  return sql`
    select count(*)::int as count, coalesce(jsonb_agg(one) filter (where place <= ${mostNamed}), '[]') as named from (
      select jsonb_build_object('id', deployment.id, 'serviceName', service.name, 'releaseNumber', release.number,
          'environmentName', environment.name, 'projectName', project.name) as one,
        row_number() over (order by deployment.started_at desc, deployment.id) as place
      from deployment
      join environment on environment.organization_id = ${organizationId} and environment.id = deployment.environment_id
      join project on project.organization_id = ${organizationId} and project.id = deployment.project_id
      join service on service.organization_id = ${organizationId} and service.id = deployment.service_id
      join release on release.organization_id = ${organizationId} and release.id = deployment.release_id
      where deployment.organization_id = ${organizationId} and deployment.started_at >= loosening.created_at
        and deployment.started_at < coalesce(loosening.ended_at, 'infinity')
        and case loosening.guard
          when 'production' then deployment.environment_id = loosening.subject_id
          when 'skip-approval' then deployment.service_id = loosening.subject_id and environment.production
            and deployment.approval_id is null
          when 'trusted-issuer' then environment.production and deployment.requested_by_kind = 'token'
            and deployment.requested_by_id in (
              select token.id::text from api_token token
              where token.organization_id = ${organizationId} and token.trusted_issuer_id = loosening.subject_id)
          else environment.production and (
            deployment.requested_by_id = loosening.subject_id::text
            or deployment.requested_by_id in (
              select token.id::text from api_token token
              where token.organization_id = ${organizationId} and token.maker_id = loosening.subject_id)
            or exists (
              select from approval where approval.organization_id = ${organizationId}
                and approval.id = deployment.approval_id and approval.decided_by_id = loosening.subject_id::text)) end
    ) meanwhile`;
}
