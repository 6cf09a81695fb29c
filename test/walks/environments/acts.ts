import { type Effect, effect } from '../../../db/engine/effect.ts';
import { Problem } from '../../../domain/problems.ts';
import type { RunningApi } from '../../installation/running-api.ts';
import { machine } from '../../seeds/seed.ts';
import type { Environment, Model } from './model.ts';
import type { Seen, World } from './seen.ts';
import type { Scope } from './vocabulary.ts';

export interface Parts {
  api: Pick<RunningApi, 'database' | 'keyring'>;
  world: World;
  model: Model;
  seen: Seen;
  /** Tells a step in words. */
  tell(text: string): void;
}

/** The ground of all that people and actors do in a walk: each act does it to the product and to the model. */
export class Acts {
  readonly api: Parts['api'];
  readonly world: World;
  readonly model: Model;
  readonly seen: Seen;
  readonly tell: (text: string) => void;

  constructor({ api, world, model, seen, tell }: Parts) {
    this.api = api;
    this.world = world;
    this.model = model;
    this.seen = seen;
    this.tell = tell;
  }

  run<T>(work: (one: Effect) => Promise<T>): Promise<T> {
    return effect(this.api.database, machine, work);
  }

  place(number: number) {
    const { organizationId, projectId, environments } = this.world;
    const production = this.environment(number).production;
    return { organizationId, projectId, environmentId: environments[number] ?? '', production };
  }

  environment(number: number): Environment {
    return this.model.environments[number] as Environment;
  }

  ids(scope: Scope) {
    return scope === 'shared' ? undefined : this.world.services[scope];
  }

  /** Requests that wait no longer: changes of a set that was closed are staged again, and requests are forgotten. */
  async reconcile(): Promise<void> {
    const pending = await this.seen.pending();
    for (const environment of this.model.environments) {
      for (const id of environment.asked.keys()) if (!pending.has(id)) environment.asked.delete(id);
      if (environment.held !== undefined && !pending.has(environment.held.approvalId)) environment.returnHeld();
    }
  }
}

/** A problem that was expected is one; all else fails the walk. */
export async function refusalOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return `${error.code}: ${error.message}`;
    throw error;
  }
}
