import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { Database } from '../../db/postgres/database.ts';

/** A project with an environment, its services at the arbiter's places, and two releases of each. */
export interface SeededProject {
  organizationId: string;
  projectId: string;
  environmentId: string;
  /** By place. */
  services: Readonly<Record<string, { id: string; releases: readonly [string, string] }>>;
}

/** Rows that deployments refer to, by one statement a table however many projects there are. */
export async function seedProjects(
  { kysely }: Database,
  organizationId: string,
  count: number,
  places: readonly string[],
): Promise<SeededProject[]> {
  const projects = Array.from({ length: count }, (): SeededProject => {
    const services = places.map((place) => [place, { id: uuid(), releases: [uuid(), uuid()] as const }]);
    return { organizationId, projectId: uuid(), environmentId: uuid(), services: Object.fromEntries(services) };
  });
  const all = projects.flatMap(({ projectId, environmentId, services }) =>
    Object.values(services).map((service) => ({ projectId, environmentId, ...service })),
  );
  const releases = all.flatMap((one) => one.releases.map((release, at) => ({ ...one, release, number: at + 1 })));
  const column = <T>(rows: readonly T[], of: (row: T) => unknown) => rows.map(of);
  await sql`
    insert into project (id, organization_id, name, slug)
    select id, ${organizationId}, 'Shop', concat('shop-', id) from unnest(${column(projects, (one) => one.projectId)}::uuid[]) as id
  `.execute(kysely);
  await sql`
    insert into environment (id, organization_id, project_id, name, slug, namespace)
    select id, ${organizationId}, project_id, 'Production', 'production', concat('n-', id)
    from unnest(${column(projects, (one) => one.environmentId)}::uuid[], ${column(projects, (one) => one.projectId)}::uuid[])
      as new (id, project_id)
  `.execute(kysely);
  await sql`
    insert into service (id, organization_id, project_id, name, slug, definition)
    select id, ${organizationId}, project_id, 'Web', concat('web-', id), '{}'
    from unnest(${column(all, (one) => one.id)}::uuid[], ${column(all, (one) => one.projectId)}::uuid[]) as new (id, project_id)
  `.execute(kysely);
  await sql`
    insert into environment_service (environment_id, service_id, organization_id, project_id, settings)
    select environment_id, service_id, ${organizationId}, project_id, '{}'
    from unnest(${column(all, (one) => one.environmentId)}::uuid[], ${column(all, (one) => one.id)}::uuid[],
      ${column(all, (one) => one.projectId)}::uuid[]) as new (environment_id, service_id, project_id)
  `.execute(kysely);
  await sql`
    insert into release (id, organization_id, project_id, environment_id, service_id, number, content, content_digest,
      image_ref, variable_keys, runs_as, created_by)
    select id, ${organizationId}, project_id, environment_id, service_id, number, '{}', 'sha256:0', 'web', '{}', number, 'Ada'
    from unnest(${column(releases, (one) => one.release)}::uuid[], ${column(releases, (one) => one.projectId)}::uuid[],
      ${column(releases, (one) => one.environmentId)}::uuid[], ${column(releases, (one) => one.id)}::uuid[],
      ${column(releases, (one) => one.number)}::int[]) as new (id, project_id, environment_id, service_id, number)
  `.execute(kysely);
  return projects;
}

/** A request that is held. */
export async function seedApproval(kysely: Database['kysely'], at: SeededProject, id: string): Promise<void> {
  const { organizationId, projectId, environmentId } = at;
  await sql`
    insert into approval (id, organization_id, project_id, environment_id, kind, requested_by_kind, requested_by_id,
      requested_by_name, basis, expires_at)
    values (${id}, ${organizationId}, ${projectId}, ${environmentId}, 'deploy', 'user', 'ada', 'Ada', '{}',
      now() + interval '30 days')
  `.execute(kysely);
}
