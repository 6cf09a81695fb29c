/** The statements that Ballast runs for a read: db/credentials/credentials.ts, db/organizations/organizations.ts, db/teams/teams.ts. */
export const tokenQuery = `
  select token.id, token.token_id as "tokenId", token.name, token.secret_hash as "secretHash", token.role,
         token.revoked_at is null and (token.expires_at is null or token.expires_at > now()) as valid,
         token.expires_at as "expiresAt", token.revoked_at as "revokedAt",
         token.project_restricted as "projectRestricted",
         case when token.project_restricted
              then array(select project_id::text from api_token_project where api_token_id = token.id)
              else '{}'::text[] end as "projectIds",
         organization.id as "organizationId", organization.name as "organizationName",
         organization.slug as "organizationSlug", organization.require_mfa as "requireMfa"
  from api_token token
  join organization on organization.id = token.organization_id and organization.deletion_id is null
  where token.token_id = $1`;

export const organizationQuery = `
  select id, name, slug, default_cluster_id as "defaultClusterId",
         build_registry_credential_id as "buildRegistryCredentialId",
         build_repository_prefix as "buildRepositoryPrefix", require_mfa as "requireMfa", created_at as "createdAt"
  from organization
  where deletion_id is null and id = $1`;

export const teamsQuery = `
  select team.id, team.name, team.slug, team.created_at as "createdAt", team.scim_managed as "scimManaged",
         0 as "projectCount",
         coalesce((
           select json_agg(json_build_object('userId', app_user.id, 'name', app_user.name, 'email', app_user.email)
                           order by app_user.name, app_user.id)
           from team_member join app_user on app_user.id = team_member.user_id
           where team_member.team_id = team.id), '[]') as members
  from team
  where team.organization_id = $1
  order by team.created_at, team.id
  limit $2`;

/** Those of a deletion: db/credentials/credentials.ts, db/deletions/deletions.ts, db/engine/audit.ts. */
export const sessionQuery = `
  select session.id, session.expires_at as "expiresAt", app_user.id as "userId", app_user.name, app_user.email,
         app_user.picture,
         coalesce((
           select json_agg(json_build_object('organizationId', organization.id, 'name', organization.name,
                                             'slug', organization.slug, 'role', membership.role,
                                             'requireMfa', organization.require_mfa)
                           order by organization.created_at, organization.id)
           from membership
           join organization on organization.id = membership.organization_id and organization.deletion_id is null
           where membership.user_id = app_user.id), '[]') as memberships
  from session
  join app_user on app_user.id = session.user_id and app_user.disabled_at is null
  where session.secret_hash = $1 and session.ended_at is null and session.expires_at > now()
    and (session.idle_expires_at is null or session.idle_expires_at > now())`;

export const lockOrganization = `
  select name, slug, deleted_retention_hours from organization where id = $1 and deletion_id is null for update`;

export const insertDeletion = `
  insert into deletion (id, organization_id, kind, name, slug, requested_by_kind, requested_by_id, requested_by_name,
                        restore_until)
  values ($1, $2, 'organization', $3, $4, 'user', $5, $6, now() + make_interval(hours => $7))
  returning restore_until`;

export const deleteStatement = 'update organization set deletion_id = $1 where id = $2';

export const auditStatement = `
  insert into audit_record (id, organization_id, action, actor_kind, actor_id, actor_name, subject_kind, subject_id,
                            subject_name)
  values ($1, $2::uuid, 'organization.deleted', 'user', $3, $4, 'organization', $2::uuid::text, $5)`;
