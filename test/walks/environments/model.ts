import type { Here } from './references.ts';
import { type Changes, type Scope, type Service, type Slot, scopeOf, services } from './vocabulary.ts';

/** A change that somebody asked for. */
export interface Asked {
  to: string | undefined;
  /** The name of the person. */
  by: string;
}

/** All that a release froze. */
export interface Frozen {
  /** As they were written: variables, replicas, source. */
  written: Map<Slot, string>;
  /** The variables as instances have them. */
  resolved: Record<string, string>;
}

export interface HeldSet {
  approvalId: string;
  changeSetId: string;
  items: Map<Slot, Asked>;
}

/** A rollback or redeployment that waits for an approval. */
export interface HeldStart {
  service: Service;
  rollback: Frozen | undefined;
}

/** A service in an environment. */
export interface At {
  live: { releaseId: string; deploymentId: string } | undefined;
  suspended: boolean;
}

/** An environment as two people know it. */
export class Environment {
  readonly production: boolean;
  deleted: 'no' | 'itself' | 'with the project' = 'no';
  purged = false;
  /** The settings wanted of each place, however far that has come: the last word of whoever spoke of it. */
  readonly wanted = new Map<Slot, string>();
  staged = new Map<Slot, Asked>();
  held: HeldSet | undefined;
  /** By approval. */
  readonly asked = new Map<string, HeldStart>();
  readonly applied = new Map<Slot, string>();
  readonly at: Record<Service, At>;

  constructor(production: boolean) {
    this.production = production;
    const at = (): At => ({ live: undefined, suspended: false });
    this.at = { db: at(), api: at(), web: at() };
    for (const service of services) {
      for (const values of [this.wanted, this.applied]) {
        values.set(`${service} replicas`, '1');
        values.set(`${service} source`, '');
      }
    }
  }

  /** Somebody says what a place is to be. */
  want(slot: Slot, to: string | undefined): void {
    if (to === undefined) this.wanted.delete(slot);
    else this.wanted.set(slot, to);
  }

  /** Nobody asks any more for another value of these places than the one that is applied or held. */
  unask(slots: Iterable<Slot>): void {
    for (const slot of slots) {
      this.staged.delete(slot);
      const held = this.held?.items.get(slot);
      this.want(slot, held === undefined ? this.applied.get(slot) : held.to);
    }
  }

  /** The changes of the set that was held are staged again; those that were staged meanwhile win. */
  returnHeld(): void {
    this.staged = new Map([...(this.held?.items ?? []), ...this.staged]);
    this.held = undefined;
  }

  apply(items: ReadonlyMap<Slot, Asked>): void {
    for (const [slot, { to }] of items) {
      if (to === undefined) this.applied.delete(slot);
      else this.applied.set(slot, to);
    }
  }

  /** The values of an earlier release; how many replicas run is of today. */
  restore(service: Service, { written }: Frozen): void {
    const before = [...this.applied.keys()].filter((slot) => scopeOf(slot) === service);
    for (const slot of new Set([...before, ...written.keys()])) {
      if (slot === `${service} replicas`) continue;
      const to = written.get(slot);
      if (to === undefined) this.applied.delete(slot);
      else this.applied.set(slot, to);
      if (!this.staged.has(slot) && this.held?.items.has(slot) !== true) this.want(slot, to);
    }
  }
}

/** Two environments of a project with three services, and what of them is deleted. */
export class Model {
  readonly environments = [new Environment(true), new Environment(false)] as const;
  readonly services: Record<Service, { deleted: 'no' | 'itself' | 'with the project'; purged: boolean }> = {
    db: { deleted: 'no', purged: false },
    api: { deleted: 'no', purged: false },
    web: { deleted: 'no', purged: false },
  };
  project = { deleted: false };
  /** By release. */
  readonly frozen = new Map<string, Frozen>();

  /** The scopes whose variables count. */
  there(): Set<Scope> {
    const there = services.filter((one) => this.services[one].deleted === 'no' && !this.services[one].purged);
    return new Set<Scope>(['shared', ...there]);
  }

  here(environment: Environment, changes: ReadonlyMap<Slot, Asked> = new Map()): Here {
    return { values: withChanges(environment.applied, asChanges(changes)), there: this.there() };
  }
}

export const asChanges = (items: ReadonlyMap<Slot, Asked>): Changes =>
  new Map([...items].map(([slot, { to }]) => [slot, to]));

export function withChanges(values: ReadonlyMap<Slot, string>, changes: Changes): Map<Slot, string> {
  const result = new Map(values);
  for (const [slot, to] of changes) {
    if (to === undefined) result.delete(slot);
    else result.set(slot, to);
  }
  return result;
}
