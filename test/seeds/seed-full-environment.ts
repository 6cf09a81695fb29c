import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/postgres/database.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import {
  defaultProcess,
  emptyDefinition,
  type ReleaseContent,
  type ServiceSettings,
} from '../../domain/services/settings.ts';
import { type SeededPlace, seedPlace } from './seed-place.ts';

interface Given {
  services: number;
  /** Deployments of each service that have ended, one an hour; each seventh failed. */
  past: number;
  /** When the last of them was; now if left out. */
  daysAgo?: number;
}

/** So many are kept of each service: db/releases/releases.ts. */
const releases = 20;

const asJson = (value: unknown) => sql`${JSON.stringify(value)}::jsonb`;
const processes = sql`jsonb_build_object(process_id, ${asJson({ ...defaultProcess, name: 'web' })})`;
const settings: ServiceSettings = { ...emptyDefinition, processes: {} };
const content: ReleaseContent = {
  settings,
  image: { repository: 'registry.example.com/app', digest: `sha256:${'1'.repeat(64)}`, own: false },
  variables: { LEVEL: 'info', DATABASE: 'postgres://database.internal:5432/app' },
};

/**
 * An environment as it is after months: services that depend on each other, with releases, deployments with their
 * stages, what their cluster runs, and one staged change each. */
export async function seedFullEnvironment(
  database: Database,
  organizationId: string,
  { services, past, daysAgo = 0 }: Given,
): Promise<SeededPlace> {
  const place = await seedPlace(database, organizationId, { concurrency: 100 });
  await database.kysely.transaction().execute(async (seeding) => {
    await seedServices(seeding, place, services);
    await seedReleases(seeding, place);
    await seedDeployments(seeding, place, { past, daysAgo });
    await makeLive(seeding, place);
    await seedCluster(seeding, place);
    await sql`
      insert into change_set_item (id, organization_id, environment_id, change_set_id, service_id, process_id, kind, slot,
        key, label, from_value, to_value, staged_by_id, staged_by_name)
      select gen_random_uuid(), ${organizationId}, ${place.environmentId}, draft.id, service_id, process_id, 'process.set',
        concat('process ', process_id, ' replicas'), 'replicas', concat(slug, ': replicas of web'), '1', '2', 'u', 'Ada'
      from seeded, draft where draft.environment_id = ${place.environmentId}`.execute(seeding);
  });
  await sql`analyze`.execute(database.kysely);
  return place;
}

/** The place's own service is the first of them. */
async function seedServices(
  seeding: Kysely<Tables>,
  { organizationId, projectId, serviceId, processId }: SeededPlace,
  services: number,
): Promise<void> {
  await sql`
    create temporary table seeded on commit drop as
    select n, concat('service-', n) as slug, gen_random_uuid() as live_release_id, gen_random_uuid() as live_deployment_id,
      case when n = 1 then ${serviceId}::uuid else gen_random_uuid() end as service_id,
      case when n = 1 then ${processId}::uuid else gen_random_uuid() end as process_id
    from generate_series(1, ${services}::int) n`.execute(seeding);
  await sql`
    insert into service (id, organization_id, project_id, name, slug, definition, created_at)
    select service_id, ${organizationId}, ${projectId}, slug, slug, jsonb_set(${asJson(emptyDefinition)}, '{dependsOn}',
      case when n % 2 = 0 then jsonb_build_array(concat('service-', n - 1)) else '[]' end), now() + make_interval(secs => n)
    from seeded
    on conflict (id) do update set name = excluded.name, slug = excluded.slug, created_at = excluded.created_at`.execute(
    seeding,
  );
  await sql`
    insert into service_process (id, organization_id, service_id, name, definition)
    select process_id, ${organizationId}, service_id, 'web', ${asJson(defaultProcess)} from seeded
    on conflict (id) do nothing`.execute(seeding);
}

async function makeLive(
  seeding: Kysely<Tables>,
  { organizationId, projectId, environmentId }: SeededPlace,
): Promise<void> {
  await sql`
    insert into environment_service (organization_id, project_id, environment_id, service_id, settings, live_release_id,
      live_deployment_id, live_at)
    select ${organizationId}, ${projectId}, ${environmentId}, service_id,
      jsonb_set(${asJson(settings)}, '{processes}', ${processes}), live_release_id, live_deployment_id, now()
    from seeded
    on conflict (environment_id, service_id) do update set live_release_id = excluded.live_release_id,
      live_deployment_id = excluded.live_deployment_id, live_at = excluded.live_at`.execute(seeding);
}

async function seedReleases(
  seeding: Kysely<Tables>,
  { organizationId, projectId, environmentId }: SeededPlace,
): Promise<void> {
  await sql`
    insert into release (id, organization_id, project_id, environment_id, service_id, number, content, content_digest,
      image_ref, variable_keys, runs_as, created_by)
    select case when number = ${releases} then live_release_id else gen_random_uuid() end, ${organizationId}, ${projectId},
      ${environmentId}, service_id, number, jsonb_set(${asJson(content)}, '{settings,processes}', ${processes}),
      concat('sha256:', lpad(to_hex(n * 1000 + number), 64, '0')), 'registry.example.com/app', '{LEVEL,DATABASE}', number, 'Ada'
    from seeded, generate_series(1, ${releases}::int) number`.execute(seeding);
}

async function seedDeployments(
  seeding: Kysely<Tables>,
  { organizationId, projectId, environmentId, clusterId }: SeededPlace,
  { past, daysAgo }: Required<Omit<Given, 'services'>>,
): Promise<void> {
  const of = sql`${organizationId}::uuid, ${projectId}::uuid, ${environmentId}::uuid`;
  const asked = sql`'user', 'u', 'Ada'`;
  const columns = sql`id, organization_id, project_id, environment_id, service_id, release_id, kind, state, message, waits_for,
    requested_by_kind, requested_by_id, requested_by_name, cluster_id, stages, created_at, finished_at, archived_at`;
  await sql`
    insert into deployment (${columns})
    select case when age = 0 then live_deployment_id else gen_random_uuid() end, ${of}, seeded.service_id, release.id, 'change-set',
      case when age % 7 = 6 then 'failed' else 'live' end, case when age % 7 = 6 then 'Its instances did not become ready.' end,
      case when age % 7 = 6 then 'health' end, ${asked}, ${clusterId},
      (select jsonb_agg(jsonb_build_object('stage', stage, 'startedAt', asked.at, 'endedAt', asked.at))
        from unnest(array['queue', 'prepare', 'start', 'check', 'switch', 'drain']) stage),
      asked.at, asked.at + interval '10 seconds', asked.at + interval '1 minute'
    from seeded, generate_series(0, ${past}::int - 1) age,
      lateral (select now() - make_interval(days => ${daysAgo}, hours => age, secs => n) as at) asked,
      lateral (select id from release where release.service_id = seeded.service_id and number = ${releases} - age % ${releases}) release
    `.execute(seeding);
}

/** Each tenth service is being deployed. */
export async function seedOpenDeployments(
  { kysely }: Database,
  { environmentId, clusterId }: SeededPlace,
): Promise<void> {
  await sql`
    insert into deployment (id, organization_id, project_id, environment_id, service_id, release_id, kind, state,
      requested_by_kind, requested_by_id, requested_by_name, cluster_id, stages)
    select gen_random_uuid(), organization_id, project_id, environment_id, service_id, live_release_id, 'redeploy', 'starting',
      'user', 'u', 'Ada', ${clusterId}, '[{"stage": "queue", "startedAt": "2026-01-01T00:00:00.000Z"}]'
    from (select *, row_number() over () as n from environment_service where environment_id = ${environmentId}) place
    where n % 10 = 0`.execute(kysely);
}

/** The account of how each deployment went, as people read it. */
export async function seedEvents({ kysely }: Database, { organizationId, environmentId }: SeededPlace): Promise<void> {
  await sql`
    insert into deployment_event (id, organization_id, deployment_id, occasion, kind, stage)
    select gen_random_uuid(), ${organizationId}, deployment.id, concat('started ', stage), 'stage-started', stage
    from deployment, unnest(array['queue', 'prepare', 'start', 'check', 'switch', 'drain']) stage
    where deployment.environment_id = ${environmentId}`.execute(kysely);
}

/** The desired state of the cluster, and the account of its agent. */
async function seedCluster(
  seeding: Kysely<Tables>,
  { organizationId, environmentId, clusterId }: SeededPlace,
): Promise<void> {
  const key = sql`concat('env/', ${environmentId}::uuid, '/', service_id)`;
  const workload = {
    release: '20',
    image: { repository: content.image.repository, digest: content.image.digest },
    processes: [{ name: 'web', kind: 'http', replicas: 2, port: 8080, internalPort: 20_000, checks: {}, mounts: [] }],
    environment: content.variables,
  };
  const instance = { process: 'web', release: '20', node: 'one', state: 'ready', run: 1, memoryBytes: 50_000_000 };
  const instances = ['web-1', 'web-2'].map((id) => ({ id, ...instance }));
  await sql`
    insert into cluster_slice (cluster_id, key, organization_id, name, revision, workload)
    select ${clusterId}, ${key}, ${organizationId}, slug, 1, ${asJson(workload)} from seeded`.execute(seeding);
  await sql`
    insert into ingress_host (host, organization_id, cluster_id, key, process)
    select concat(service_id, '.localhost'), ${organizationId}, ${clusterId}, ${key}, 'web' from seeded`.execute(
    seeding,
  );
  await sql`
    insert into observed_slice (cluster_id, key, organization_id, applied_revision, instances, volumes, traffic)
    select ${clusterId}, ${key}, ${organizationId}, 1, ${asJson(instances)}, '[]', '[]' from seeded`.execute(seeding);
}
