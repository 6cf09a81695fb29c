import { sql } from 'kysely';
import { draftItems, itemValue } from '../../db/change-sets/items.ts';
import { findEnvironment } from '../../db/environments/environments.ts';
import { overviewOf } from '../../db/environments/overview.ts';
import type { Database } from '../../db/postgres/database.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import type { DeploymentState } from '../../domain/deployments/states.ts';
import type { ReleaseContent, ServiceSettings } from '../../domain/services/settings.ts';
import type { SeededPlace } from '../seeds/seed-place.ts';
import type { Content } from './wanted.ts';

/** States of a deployment that rolls. */
export const rolls = ['preparing', 'releasing', 'starting', 'checking', 'switching', 'draining'];

/** An environment as its rows say it: each change where it stands, what is applied, what serves, what the cluster is told. */
export class Seen {
  readonly #database: Database;
  readonly #places: readonly SeededPlace[];

  constructor(database: Database, places: readonly SeededPlace[]) {
    this.#database = database;
    this.#places = places;
  }

  get #place(): SeededPlace {
    return this.#places[0] as SeededPlace;
  }

  /** The changes of the draft or of a change set, by place. */
  async changes(changeSetId: string): Promise<Record<string, string | null>> {
    const items = await draftItems(this.#database.kysely, this.#place, changeSetId);
    const seen = items.map((item) => {
      const service = this.#places.findIndex(({ serviceId }) => serviceId === item.service_id);
      const value = itemValue(item);
      const text = item.key === 'source' ? (value as { imageRepository: string }).imageRepository : (value ?? null);
      return [
        `${service} ${item.key}`,
        text === null ? null : Array.isArray(text) ? text.join() : String(text),
      ] as const;
    });
    if (new Set(seen.map(([place]) => place)).size < seen.length) throw new Error('A change is shown twice.');
    return Object.fromEntries(seen.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  async draftId(): Promise<string> {
    const own = tenant(this.#database.kysely, this.#place.organizationId);
    const { environmentId } = this.#place;
    return (
      await own.selectFrom('draft').select('id').where('environment_id', '=', environmentId).executeTakeFirstOrThrow()
    ).id;
  }

  /** The settings and variables of a service as they are applied. */
  async applied({ organizationId, environmentId, serviceId }: SeededPlace): Promise<Omit<Content, 'digest'>> {
    const own = tenant(this.#database.kysely, organizationId);
    const { settings } = await own
      .selectFrom('environment_service')
      .select('settings')
      .where('environment_id', '=', environmentId)
      .where('service_id', '=', serviceId)
      .executeTakeFirstOrThrow();
    const rows = await own
      .selectFrom('variable')
      .select(['key', 'value'])
      .where('environment_id', '=', environmentId)
      .where('service_id', '=', serviceId)
      .execute();
    return { ...ofSettings(settings), variables: Object.fromEntries(rows.map(({ key, value }) => [key, value])) };
  }

  async deployments(): Promise<Deployed[]> {
    const { rows } = await sql<Deployed>`
      select deployment.id, deployment.service_id as "serviceId", deployment.state, deployment.kind,
        deployment.waits_for as "waitsFor", deployment.approval_id as "approvalId", deployment.release_id as "releaseId",
        deployment.change_set_id as "changeSetId", release.content, release.content_digest as digest
      from deployment join release on release.id = deployment.release_id
      where deployment.environment_id = ${this.#place.environmentId} order by deployment.admission_order
    `.execute(this.#database.kysely);
    return rows;
  }

  /** The approvals that wait, with the releases that they show. */
  async approvals(): Promise<{ id: string; target: { releases: { releaseId: string; contentDigest?: string }[] } }[]> {
    const { rows } = await sql<{ id: string; target: { releases: { releaseId: string }[] } }>`
      select id, target from approval
      where environment_id = ${this.#place.environmentId} and decision is null order by created_at, id
    `.execute(this.#database.kysely);
    return rows;
  }

  async live({
    environmentId,
    serviceId,
  }: SeededPlace): Promise<{ releaseId: string | null; deploymentId: string | null }> {
    const { rows } = await sql<{ releaseId: string | null; deploymentId: string | null }>`
      select live_release_id as "releaseId", live_deployment_id as "deploymentId" from environment_service
      where environment_id = ${environmentId} and service_id = ${serviceId}`.execute(this.#database.kysely);
    return rows[0] ?? { releaseId: null, deploymentId: null };
  }

  /** As the agent is told, whose report names id and digest. */
  async told({ clusterId, environmentId, serviceId }: SeededPlace): Promise<Told | undefined> {
    const { rows } = await sql<{ workload: Told }>`
      select workload from cluster_slice where cluster_id = ${clusterId} and removed_at is null
        and key = concat('env/', ${environmentId}::uuid, '/', ${serviceId}::uuid)`.execute(this.#database.kysely);
    return rows[0]?.workload;
  }

  async drift(): Promise<boolean[]> {
    const { organizationId, environmentId } = this.#place;
    const environment = await findEnvironment(this.#database.kysely, organizationId, environmentId);
    if (environment === undefined) throw new Error('It was just made.');
    const rows = await overviewOf(this.#database.kysely, environment);
    return this.#places.map((place) => rows.find(({ serviceId }) => serviceId === place.serviceId)?.drift ?? false);
  }
}

export interface Told {
  rollout: { id: string; digest: string };
  processes: { replicas: number; command: string[] }[];
  image: { digest: string };
}

export interface Deployed {
  id: string;
  serviceId: string;
  state: DeploymentState;
  kind: string;
  waitsFor: string | null;
  approvalId: string | null;
  releaseId: string;
  changeSetId: string | null;
  content: ReleaseContent;
  digest: string;
}

export function contentOf({ settings, image, variables }: ReleaseContent): Content {
  return { ...ofSettings(settings), variables, digest: image.digest };
}

function ofSettings({ source, processes }: ServiceSettings): Omit<Content, 'digest' | 'variables'> {
  const [process] = Object.values(processes);
  return { replicas: process?.replicas ?? 0, command: process?.command.join() ?? '', tag: source.imageRepository };
}
