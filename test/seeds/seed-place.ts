import { type Insertable, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { createCluster } from '../../db/clusters/clusters.ts';
import { effect } from '../../db/engine/effect.ts';
import type { Database } from '../../db/postgres/database.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import {
  defaultProcess,
  emptyDefinition,
  type PlacedProcess,
  type ReleaseContent,
  type ServiceSettings,
} from '../../domain/services/settings.ts';
import { protocolVersion } from '../../protocol/version.ts';
import { machine } from './seed.ts';
import { seedAgent } from './seed-cluster.ts';

/** A service in an environment of a project, on a cluster whose agent is in contact. */
export interface SeededPlace {
  organizationId: string;
  clusterId: string;
  projectId: string;
  environmentId: string;
  serviceId: string;
  processId: string;
}

interface Given {
  concurrency?: number;
  production?: boolean;
  /** In the project and environment of another place. */
  beside?: SeededPlace;
  process?: Partial<PlacedProcess>;
}

const json = (value: unknown) => sql<never>`${JSON.stringify(value)}::jsonb`;

export async function seedPlace(
  database: Database,
  organizationId: string,
  { concurrency = 10, production = false, beside, process }: Given = {},
): Promise<SeededPlace> {
  const own = tenant(database.kysely, organizationId);
  const name = uuid().slice(-8);
  let place = beside;
  if (place === undefined) {
    const made = await effect(database, machine, (making) =>
      createCluster(making, { organizationId, name: `c-${name}` }),
    );
    await seedAgent(database, made.id, 'ballast-agent:1.0.0-111111111111');
    const agent = database.kysely.updateTable('cluster_agent').where('cluster_id', '=', made.id);
    await agent.set({ protocol_minor: protocolVersion.minor }).execute();
    const [projectId, environmentId] = [uuid(), uuid()];
    const project = { id: projectId, name, slug: `p-${name}`, deploy_concurrency: concurrency };
    await own.insertInto('project').values(project).execute();
    const environment = { id: environmentId, project_id: projectId, name: 'Staging', slug: 'staging', production };
    await own
      .insertInto('environment')
      .values({ ...environment, namespace: `${name}-staging`, cluster_id: made.id })
      .execute();
    await own.insertInto('draft').values({ environment_id: environmentId, id: uuid() }).execute();
    place = { organizationId, clusterId: made.id, projectId, environmentId, serviceId: '', processId: '' };
  }
  const [serviceId, processId] = [uuid(), uuid()];
  const { projectId, environmentId } = place;
  const settings: ServiceSettings = {
    ...emptyDefinition,
    processes: { [processId]: { ...defaultProcess, ...process, name: 'web' } },
  };
  const definition = json(emptyDefinition);
  await own
    .insertInto('service')
    .values({ id: serviceId, project_id: projectId, name: `s-${name}`, slug: `s-${name}`, definition })
    .execute();
  await own
    .insertInto('service_process')
    .values({ id: processId, service_id: serviceId, name: 'web', definition: json(defaultProcess) })
    .execute();
  await own
    .insertInto('environment_service')
    .values({ environment_id: environmentId, service_id: serviceId, project_id: projectId, settings: json(settings) })
    .execute();
  return { ...place, serviceId, processId };
}

/** A release of the place; `image` tells one from another. */
export async function seedRelease(
  database: Database,
  place: SeededPlace,
  number: number,
  more: {
    process?: Partial<PlacedProcess>;
    runsAs?: number;
    image?: Partial<ReleaseContent['image']>;
    releaseCommand?: string[];
    /** What it was made of. */
    made?: { build_id?: string; promoted_from_release_id?: string };
  } = {},
): Promise<{ id: string; digest: string }> {
  const { organizationId, projectId, environmentId, serviceId, processId } = place;
  const id = uuid();
  const digest = `sha256:${String(number % 10).repeat(64)}`;
  const content: ReleaseContent = {
    settings: {
      ...emptyDefinition,
      releaseCommand: more.releaseCommand ?? [],
      processes: { [processId]: { ...defaultProcess, ...more.process, name: 'web' } },
    },
    image: { repository: 'registry.example.com/app', digest, own: false, ...more.image },
    variables: { RELEASE: String(number) },
  };
  await tenant(database.kysely, organizationId)
    .insertInto('release')
    .values({
      ...{ id, project_id: projectId, environment_id: environmentId, service_id: serviceId, number },
      content: json(content),
      ...{ content_digest: digest, image_ref: `registry.example.com/app@${digest}`, variable_keys: ['RELEASE'] },
      ...{ runs_as: more.runsAs ?? number, created_by: 'Tester', ...more.made },
    })
    .execute();
  return { id, digest };
}

type DeploymentRow = Insertable<Tables['deployment']>;

/** A deployment of that release which is over, and live unless `more` says otherwise: the row alone, nothing runs. Answers its id. */
export async function seedDeployment(
  database: Database,
  { organizationId, projectId, environmentId, serviceId }: SeededPlace,
  releaseId: string,
  more: Partial<DeploymentRow> = {},
): Promise<string> {
  const id = uuid();
  await tenant(database.kysely, organizationId)
    .insertInto('deployment')
    .values({
      ...{ id, project_id: projectId, environment_id: environmentId, service_id: serviceId, release_id: releaseId },
      ...{ kind: 'deploy', state: 'live', finished_at: sql<Date>`clock_timestamp()` },
      ...{ requested_by_kind: 'user', requested_by_id: 'u', requested_by_name: 'Ada' },
      ...more,
    })
    .execute();
  return id;
}
