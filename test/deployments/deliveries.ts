import type { z } from 'zod';
import type { deploymentSchema } from '../../api/deployments/deployment.ts';
import type { overviewServiceSchema } from '../../api/environments/overview.ts';
import { noSource } from '../../domain/services/settings.ts';
import type { ShownInstance, ShownWorkload } from '../applications/applications.ts';
import type { See } from '../ground/until.ts';
import type { Installation, Session } from '../installation/installation.ts';
import { type Gates, gatedCommand, serves } from './gates.ts';

export type ShownDeployment = z.output<typeof deploymentSchema>;
export type ShownService = z.output<typeof overviewServiceSchema>;

/** A service in an environment. */
export interface Place {
  name: string;
  projectId: string;
  environmentId: string;
  serviceId: string;
  processId: string;
}

/** A deployment as it was asked for. */
export interface Asked {
  id: string;
  releaseId: string;
  approvalId: string | undefined;
  changeSetId: string | undefined;
}

/** Differences of a new release from the one before it. */
export interface Change {
  gate?: string;
  after?: string;
  image?: string;
  stabilizationSeconds?: number;
  releaseCommand?: string[];
}

export interface Environments {
  projectId: string;
  production: string;
  staging: string;
}

/** Projects, services and deployments of the default organization, as a deployer and an administrator ask for them. */
export class Deliveries {
  readonly organizationId: string;
  readonly #installation: Installation;
  readonly #image: string;
  readonly #gates: Gates;
  readonly #deployer: Session;
  readonly #admin: Session;
  /** By environment: the end of the last release that was asked for. */
  readonly #released = new Map<string, Promise<unknown>>();

  private constructor(installation: Installation, image: string, gates: Gates, [deployer, admin]: [Session, Session]) {
    this.organizationId = deployer.organizationId;
    this.#installation = installation;
    this.#image = image;
    this.#gates = gates;
    this.#deployer = deployer;
    this.#admin = admin;
  }

  static async on(installation: Installation, image: string, gates: Gates): Promise<Deliveries> {
    const { kysely } = await installation.database();
    const row = kysely.selectFrom('organization').select('id').where('slug', '=', 'default');
    const { id } = await row.executeTakeFirstOrThrow();
    const deployer = await installation.session(id, 'deployer');
    return new Deliveries(installation, image, gates, [deployer, await installation.session(id, 'admin')]);
  }

  /** Afterwards neither of the two may decide anything here. */
  async leave(): Promise<void> {
    const { kysely } = await this.#installation.database();
    const ids = [this.#deployer, this.#admin].map(({ userId }) => userId);
    await kysely.deleteFrom('membership').where('user_id', 'in', ids).execute();
  }

  /** Anything but success fails the test. */
  async ask<T = Record<string, unknown>>(method: string, path: string, body?: object, as = this.#deployer): Promise<T> {
    const answer = await this.#installation.call(method, `/api/v1${path}`, { as, ...(body && { body }) });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body as T;
  }

  async project(name: string): Promise<Environments> {
    const made = await this.ask<{ project: { id: string }; environments: [{ id: string }, { id: string }] }>(
      'POST',
      '/projects',
      { name },
      this.#admin,
    );
    const [production, staging] = made.environments;
    return { projectId: made.project.id, production: production.id, staging: staging.id };
  }

  async slots({ projectId }: Pick<Place, 'projectId'>, deployConcurrency: number): Promise<void> {
    await this.ask('PATCH', `/projects/${projectId}`, { deployConcurrency }, this.#admin);
  }

  /** A service that is staged, and runs nothing yet. */
  async place(projectId: string, environmentId: string, name: string): Promise<Place> {
    const process = { command: gatedCommand, drainSeconds: 600, stabilizationSeconds: 0 };
    const source = { kind: 'image', imageRepository: this.#image };
    const made = await this.ask<{ service: { id: string }; processes: [{ id: string }] }>(
      'POST',
      `/projects/${projectId}/services`,
      { name, environmentId, source, process },
    );
    const place = { name, projectId, environmentId, serviceId: made.service.id, processId: made.processes[0].id };
    await this.#stage(place, {});
    return place;
  }

  /** Deploys all that is staged in an environment; in production it waits for an approval. */
  async apply(environmentId: string): Promise<(Asked & { serviceId: string })[]> {
    const draft = `/environments/${environmentId}/change-set`;
    const { changeSet } = await this.ask<{ changeSet: { id: string } }>('GET', draft);
    const applied = await this.ask<{
      approval?: { id: string };
      deployments: { id: string; releaseId: string; serviceId: string }[];
    }>('POST', `/change-sets/${changeSet.id}/apply`, {});
    const { approval } = applied;
    return applied.deployments.map((one) => ({ ...one, approvalId: approval?.id, changeSetId: changeSet.id }));
  }

  /** Another release of one service. One at a time in an environment, since all that is staged there is applied. */
  release(place: Place, change: Change = {}): Promise<Asked> {
    const before = this.#released.get(place.environmentId) ?? Promise.resolve();
    const release = before.then(() => this.#release(place, change));
    this.#released.set(
      place.environmentId,
      release.catch(() => undefined),
    );
    return release;
  }

  async #release(place: Place, change: Change): Promise<Asked> {
    await this.#stage(place, change);
    const asked = await this.apply(place.environmentId);
    const [first] = asked;
    if (first === undefined || asked.length > 1 || first.serviceId !== place.serviceId)
      throw new Error(`One deployment of ${place.name} was asked for: ${JSON.stringify(asked)}`);
    return first;
  }

  async redeploy({ serviceId, environmentId }: Place): Promise<Asked> {
    return askedOf(await this.ask<Created>('POST', `/services/${serviceId}/redeploy`, { environmentId, queue: true }));
  }

  async rollBack(releaseId: string): Promise<Asked> {
    return askedOf(await this.ask<Created>('POST', `/releases/${releaseId}/rollback`, {}));
  }

  async cancel(id: string): Promise<void> {
    await this.ask('POST', `/deployments/${id}/cancel`);
  }

  async decide(approvalId: string | undefined, decision: 'approved' | 'rejected'): Promise<void> {
    await this.ask('POST', `/approvals/${approvalId}/decide`, { decision }, this.#admin);
  }

  /** Undefined while nobody answers. */
  async deployment(id: string): Promise<ShownDeployment | undefined> {
    return await this.ask<ShownDeployment>('GET', `/deployments/${id}`).catch(() => undefined);
  }

  async events(id: string): Promise<{ kind: string; stage: string }[]> {
    const { items } = await this.ask<{ items: { kind: string; stage: string }[] }>(
      'GET',
      `/deployments/${id}/events?limit=100`,
    );
    return items;
  }

  async service({ environmentId, serviceId, name }: Place): Promise<ShownService> {
    const { services } = await this.ask<{ services: ShownService[] }>('GET', `/environments/${environmentId}/overview`);
    const found = services.find((one) => one.serviceId === serviceId);
    if (found === undefined) throw new Error(`${name} is not in its environment.`);
    return found;
  }

  async clusters(): Promise<{ id: string; status: string }[]> {
    const listed = await this.ask<{ items: { id: string; status: string }[] }>(
      'GET',
      '/clusters',
      undefined,
      this.#admin,
    );
    return listed.items;
  }

  /** As the agent told of them last. */
  async instances({ environmentId, serviceId }: Place): Promise<ShownInstance[]> {
    const [local] = await this.clusters();
    const path = `/clusters/${local?.id}/workloads?limit=100`;
    const { items } = await this.ask<{ items: ShownWorkload[] }>('GET', path, undefined, this.#admin);
    return items.find(({ key }) => key === `env/${environmentId}/${serviceId}`)?.instances ?? [];
  }

  /** Waits until it is in that state, and fails if it ends otherwise. */
  async reached(id: string, state: string, seconds?: number): Promise<ShownDeployment> {
    return await this.#installation.until(
      `${id} is ${state}`,
      async (see) => {
        const shown = see(await this.deployment(id));
        if (shown?.state === state) return shown;
        if (shown?.finishedAt !== undefined)
          throw new Error(`${shown.serviceName} is ${shown.state}: ${shown.message}`);
        return undefined;
      },
      seconds,
    );
  }

  /** Waits for its end, whichever it is. */
  async final(id: string, seconds = 180): Promise<ShownDeployment> {
    const end = async (see: See) => {
      const shown = see(await this.deployment(id));
      return shown?.finishedAt !== undefined && shown;
    };
    return await this.#installation.until(`the end of the deployment ${id}`, end, seconds);
  }

  async #stage({ environmentId, serviceId, processId }: Place, change: Change): Promise<void> {
    const { gate = this.#gates.ajar, after = serves, image = this.#image, stabilizationSeconds = 0 } = change;
    const { releaseCommand = [] } = change;
    const value = { ...noSource, imageRepository: image };
    const items = [
      { kind: 'variable.set', serviceId, key: 'GATE', value: gate },
      { kind: 'variable.set', serviceId, key: 'AFTER', value: after },
      // Else two releases may be the same, and nothing is left to deploy.
      { kind: 'variable.set', serviceId, key: 'NUMBER', value: crypto.randomUUID() },
      { kind: 'service.set', serviceId, key: 'source', value },
      { kind: 'service.set', serviceId, key: 'releaseCommand', value: releaseCommand },
      { kind: 'process.set', processId, key: 'stabilizationSeconds', value: stabilizationSeconds },
    ];
    await this.ask('PUT', `/environments/${environmentId}/change-set/items:batch`, { items });
  }
}

interface Created {
  deployment: { id: string; releaseId: string };
  approval?: { id: string };
}

function askedOf({ deployment, approval }: Created): Asked {
  return { id: deployment.id, releaseId: deployment.releaseId, approvalId: approval?.id, changeSetId: undefined };
}
