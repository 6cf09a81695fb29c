import { v7 as uuid } from 'uuid';
import { admit, type NewDeployment } from '../../../db/deployments/admission.ts';
import { findDeployment } from '../../../db/deployments/deployments.ts';
import { rolloutKey } from '../../../db/deployments/rollout.ts';
import { type Effect, effect } from '../../../db/engine/effect.ts';
import { findSlice } from '../../../db/workloads/cluster-slices.ts';
import { actorId } from '../../../domain/actors/actors.ts';
import type { RolloutPhase } from '../../../domain/deployments/states.ts';
import { until } from '../../ground/until.ts';
import { seedOrganization } from '../../seeds/seed.ts';
import { type SeededPlace, seedPlace, seedRelease } from '../../seeds/seed-place.ts';
import { type ActorsGround, tester } from '../actors.ts';
import { servedGround } from './served-ground.ts';

export interface Asked {
  id: string;
  digest: string;
  place: SeededPlace;
}

/** Deployments whose actors are served, in an organization of their own; what an agent would report is the test's to say. */
export class DeploymentGround {
  organizationId = '';
  #actors: ActorsGround | undefined;

  async open(): Promise<void> {
    this.#actors = await servedGround();
    this.organizationId = await seedOrganization(this.#actors.database);
  }

  async close(): Promise<void> {
    await this.#actors?.close();
  }

  get actors(): ActorsGround {
    if (this.#actors === undefined) throw new Error('It is not open.');
    return this.#actors;
  }

  place = (given: Parameters<typeof seedPlace>[2] = {}): Promise<SeededPlace> =>
    seedPlace(this.actors.database, this.organizationId, given);

  run = <T>(work: (effect: Effect) => Promise<T>): Promise<T> => effect(this.actors.database, tester, work);

  handle = ({ id }: Asked) => this.actors.temporal.client.workflow.getHandle(actorId('deployment', id));

  row = async ({ id }: Asked) => {
    const found = await findDeployment(this.actors.database.kysely, this.organizationId, id);
    if (found === undefined) throw new Error(`The deployment ${id} is not there.`);
    return found;
  };

  becomes = (asked: Asked, state: string) => until(state, async () => (await this.row(asked)).state === state);

  slice = ({ place: { clusterId, environmentId, serviceId } }: Asked) => {
    const cluster = { id: clusterId, organizationId: this.organizationId };
    return findSlice(this.actors.database.kysely, cluster, rolloutKey(environmentId, serviceId));
  };

  deploy = async (
    place: SeededPlace,
    number: number,
    more: Partial<NewDeployment> = {},
    image: Parameters<typeof seedRelease>[3] = {},
  ): Promise<Asked> => {
    const release = await seedRelease(this.actors.database, place, number, image);
    const id = uuid();
    const { projectId, environmentId, serviceId } = place;
    const project = { organizationId: this.organizationId, projectId };
    const one = { id, environmentId, serviceId, releaseId: release.id, kind: 'deploy' as const, queue: true, ...more };
    await this.run((asking) => admit(asking, project, { event: 'create', deployments: [one] }));
    const asked = { id, digest: release.digest, place };
    await this.deliver(asked);
    return asked;
  };

  /** Messages to its actor that wait. */
  deliver = ({ id }: Asked): Promise<unknown> => this.actors.delivery.deliver(actorId('deployment', id));

  /** The report of an agent, as the API tells it to the actor. */
  told = async (asked: Asked, phase: RolloutPhase, more: Record<string, unknown> = {}): Promise<void> => {
    const body = { id: asked.id, digest: asked.digest, phase, at: { [phase]: new Date().toISOString() }, ...more };
    await this.handle(asked).signal('rollout', { id: uuid(), body });
  };

  goLive = async (asked: Asked): Promise<void> => {
    await this.becomes(asked, 'preparing');
    await this.told(asked, 'done');
    await this.becomes(asked, 'live');
  };
}
