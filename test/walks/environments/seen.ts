import { sql } from 'kysely';
import { variablePlace } from '../../../db/change-sets/applied.ts';
import { sealedPlace } from '../../../db/change-sets/items.ts';
import { driftOf } from '../../../db/releases/drift.ts';
import { openReleaseSecrets } from '../../../db/releases/secrets.ts';
import type { DeploymentState } from '../../../domain/deployments/states.ts';
import { valuesOf, writtenOf } from '../../../domain/references/frozen.ts';
import type { DriftItem } from '../../../domain/releases/drift.ts';
import type { ReleaseContent, ServiceSettings } from '../../../domain/services/settings.ts';
import type { RunningApi } from '../../installation/running-api.ts';
import type { Ids, Service, Slot } from './vocabulary.ts';

/** States of a deployment that rolls. */
export const rolls = ['preparing', 'releasing', 'starting', 'checking', 'switching', 'draining'];

export interface SeenItem {
  slot: Slot;
  to: string | undefined;
  by: string;
}

export interface SeenPlace {
  environment: number;
  service: Service;
  settings: ServiceSettings;
  suspended: boolean;
  live: SeenRelease | undefined;
  liveDeploymentId: string | null;
}

export interface SeenRelease {
  id: string;
  written: Map<Slot, string>;
  resolved: Record<string, string>;
}

export interface SeenDeployment {
  id: string;
  environment: number;
  service: Service;
  state: DeploymentState;
  kind: string;
  waitsFor: string | null;
  approvalId: string | null;
  releaseId: string;
  changeSetId: string | null;
  open: boolean;
}

export interface World {
  organizationId: string;
  projectId: string;
  clusterId: string;
  environments: readonly string[];
  services: Readonly<Record<Service, Ids>>;
}

interface Told {
  rollout: { id: string };
  processes: { replicas: number }[];
}

/** A project as its rows and its public reads say it, by the names of the walk. */
export class Seen {
  readonly #api: Pick<RunningApi, 'database' | 'keyring'>;
  readonly #world: World;
  readonly #names: ReadonlyMap<string, Service>;

  constructor(api: Pick<RunningApi, 'database' | 'keyring'>, world: World) {
    this.#api = api;
    this.#world = world;
    this.#names = new Map(Object.entries(world.services).map(([name, { serviceId }]) => [serviceId, name as Service]));
  }

  get #kysely() {
    return this.#api.database.kysely;
  }

  #service(id: string): Service {
    const name = this.#names.get(id);
    if (name === undefined) throw new Error(`The service ${id} is not of this walk.`);
    return name;
  }

  /** The names of what is not deleted: environments by their number. */
  async visible(): Promise<{ project: boolean; environments: number[]; services: Service[] }> {
    const { projectId } = this.#world;
    const { rows } = await sql<{ kind: string; id: string }>`
      select 'project' as kind, id from project where id = ${projectId} and deletion_id is null
      union all select 'environment', id from environment where project_id = ${projectId} and deletion_id is null
      union all select 'service', id from service where project_id = ${projectId} and deletion_id is null
    `.execute(this.#kysely);
    const ids = (kind: string) => rows.filter((row) => row.kind === kind).map(({ id }) => id);
    return {
      project: ids('project').length > 0,
      environments: ids('environment')
        .map((id) => this.#world.environments.indexOf(id))
        .toSorted(),
      services: ids('service')
        .map((id) => this.#service(id))
        .toSorted(),
    };
  }

  /** Changes staged in each environment and those held, by the id of the draft or change set. */
  async items(changeSetIds: readonly string[]): Promise<Map<string, SeenItem[]>> {
    const found = new Map<string, SeenItem[]>(changeSetIds.map((id) => [id, []]));
    const rows = await this.#kysely
      .selectFrom('change_set_item')
      .selectAll()
      .where('change_set_id', 'in', [...changeSetIds, this.#world.projectId])
      .execute();
    for (const row of rows) {
      const scope = row.service_id === null ? 'shared' : this.#service(row.service_id);
      let to: string | undefined;
      if (row.sealed_to !== null) {
        to = await this.#api.keyring.decryptSecret(this.#world.organizationId, sealedPlace(row.id), row.sealed_to);
      } else if (row.to_value !== '') {
        const value: unknown = JSON.parse(row.to_value);
        to = row.key === 'source' ? (value as { imageRepository: string }).imageRepository : String(value);
      }
      found.get(row.change_set_id)?.push({ slot: `${scope} ${row.key}`, to, by: row.staged_by_name });
    }
    return found;
  }

  /** The draft of each environment. */
  async drafts(): Promise<string[]> {
    const { environments } = this.#world;
    const { rows } = await sql<{ id: string; of: string }>`
      select id, environment_id as of from draft where environment_id = any(${environments}::uuid[])
    `.execute(this.#kysely);
    return environments.map((id) => rows.find(({ of }) => of === id)?.id ?? '');
  }

  async variables(): Promise<Map<Slot, string>[]> {
    const { environments, organizationId } = this.#world;
    const { rows } = await sql<{ of: string; service: string; key: string; value: string; sealed: Buffer | null }>`
      select environment_id as of, service_id::text as service, key, value, sealed from variable
      where environment_id = any(${environments}::uuid[])
      union all select environment_id, '', key, value, sealed from shared_variable
      where environment_id = any(${environments}::uuid[])
    `.execute(this.#kysely);
    const found = environments.map(() => new Map<Slot, string>());
    for (const { of, service, key, value, sealed } of rows) {
      const place = variablePlace(of, service, key);
      const text = sealed === null ? value : await this.#api.keyring.decryptSecret(organizationId, place, sealed);
      found[environments.indexOf(of)]?.set(`${service === '' ? 'shared' : this.#service(service)} ${key}`, text);
    }
    return found;
  }

  async places(): Promise<SeenPlace[]> {
    const { environments, projectId } = this.#world;
    const { rows } = await sql<{
      of: string;
      service: string;
      settings: ServiceSettings;
      suspended: boolean;
      liveDeploymentId: string | null;
      id: string | null;
      content: ReleaseContent;
      sealed: Buffer | null;
    }>`
      select place.environment_id as of, place.service_id as service, place.settings, place.suspended,
        place.live_deployment_id as "liveDeploymentId", live.id, live.content, live.sealed
      from environment_service place left join release live on live.id = place.live_release_id
      where place.project_id = ${projectId} order by 1, 2
    `.execute(this.#kysely);
    return await Promise.all(
      rows.map(async ({ of, service, id, content, sealed, ...place }) => ({
        ...{ ...place, environment: environments.indexOf(of), service: this.#service(service) },
        live: id === null ? undefined : await this.#release({ id, content, sealed, service }),
      })),
    );
  }

  async releases(ids: readonly string[]): Promise<SeenRelease[]> {
    const { rows } = await sql<{ id: string; content: ReleaseContent; sealed: Buffer | null; service: string }>`
      select id, content, sealed, service_id as service from release where id = any(${ids}::uuid[])
    `.execute(this.#kysely);
    return await Promise.all(rows.map((row) => this.#release(row)));
  }

  async #release(row: {
    id: string;
    content: ReleaseContent;
    sealed: Buffer | null;
    service: string;
  }): Promise<SeenRelease> {
    const { id, content, sealed } = row;
    const service = this.#service(row.service);
    const { organizationId } = this.#world;
    const secrets = await openReleaseSecrets(this.#api.keyring, { id, organizationId, sealed });
    const written = new Map([...writtenOf(content, secrets)].map(([key, { value }]) => [`${service} ${key}`, value]));
    for (const [key, value] of ofSettings(content.settings)) written.set(`${service} ${key}`, value);
    const values = valuesOf(content, secrets);
    const late = [...values.late].map(
      ([key, pieces]) => [key, pieces.map((piece) => this.#textOf(piece)).join('')] as const,
    );
    const resolved: Record<string, string> = { ...values.variables, ...values.secrets, ...Object.fromEntries(late) };
    return { id, written, resolved: Object.fromEntries(Object.entries(resolved).toSorted()) };
  }

  #textOf(piece: string | { serviceId: string; part: string }): string {
    return typeof piece === 'string' ? piece : `<${this.#service(piece.serviceId)}.${piece.part}>`;
  }

  async deployments(): Promise<SeenDeployment[]> {
    const { rows } = await sql<Omit<SeenDeployment, 'environment' | 'service'> & { of: string; at: string }>`
      select id, environment_id as of, service_id as at, state, kind, waits_for as "waitsFor",
        approval_id as "approvalId", release_id as "releaseId", change_set_id as "changeSetId",
        finished_at is null as open
      from deployment where project_id = ${this.#world.projectId} order by admission_order
    `.execute(this.#kysely);
    return rows.map(({ of, at, ...row }) => ({
      ...{ ...row, environment: this.#world.environments.indexOf(of), service: this.#service(at) },
    }));
  }

  /** The approvals that wait. */
  async pending(): Promise<Set<string>> {
    const { rows } = await sql<{ id: string }>`
      select id from approval where project_id = ${this.#world.projectId} and decision is null
    `.execute(this.#kysely);
    return new Set(rows.map(({ id }) => id));
  }

  /** As the agent is told, by number of the environment and name of the service. */
  async told(): Promise<Map<string, Told>> {
    const { rows } = await sql<{ key: string; workload: Told }>`
      select key, workload from cluster_slice where cluster_id = ${this.#world.clusterId} and removed_at is null
    `.execute(this.#kysely);
    return new Map(
      rows.map(({ key, workload }) => {
        const [, environment = '', service = ''] = key.split('/');
        return [`${this.#world.environments.indexOf(environment)} ${this.#service(service)}`, workload];
      }),
    );
  }

  async drift(environment: number): Promise<ReadonlyMap<Service, DriftItem[]>> {
    const { organizationId, environments, services } = this.#world;
    const place = { organizationId, environmentId: environments[environment] ?? '' };
    const found = await driftOf(
      this.#kysely,
      place,
      Object.values(services).map(({ serviceId }) => serviceId),
    );
    return new Map([...found].map(([id, items]) => [this.#service(id), items]));
  }
}

export function ofSettings({ source, processes }: ServiceSettings): [string, string][] {
  const [process] = Object.values(processes);
  return [
    ['replicas', String(process?.replicas ?? 0)],
    ['source', source.imageRepository],
  ];
}
