import type { BuildTime } from '../variables/build-time.ts';
import { type Names, shown, type Target, type Variable } from './names.ts';

/** A variable with references. */
export interface Referring extends Variable {
  refers: readonly string[];
  /** Absent: builds do not see it. */
  buildTime?: BuildTime | null | undefined;
}

export interface Dangling extends Variable {
  reference: string;
  /** Both ends and what is wrong: `api.URL refers to db.X: the service "db" has no variable "X"`. */
  message: string;
}

export function nodeOf({ scope, key }: Variable): string {
  return `${scope} ${key}`;
}

/** The references of an environment: which variable leads to which, and to which processes. */
export class References {
  readonly names: Names;
  readonly #referring: ReadonlyMap<string, Referring>;
  /** Each is looked up once, however often it is asked for. */
  readonly #resolved = new Map<Referring, readonly (Target | string)[]>();

  constructor(names: Names, referring: readonly Referring[]) {
    this.names = names;
    this.#referring = new Map(referring.map((one) => [nodeOf(one), one]));
  }

  get referring(): Iterable<Referring> {
    return this.#referring.values();
  }

  find(variable: Variable): Referring | undefined {
    return this.#referring.get(nodeOf(variable));
  }

  targets(of: Variable): Target[] {
    const found = this.find(of);
    return found === undefined ? [] : this.#resolve(found).filter((target) => typeof target !== 'string');
  }

  /** One for each reference. */
  #resolve(referring: Referring): readonly (Target | string)[] {
    const known = this.#resolved.get(referring);
    if (known !== undefined) return known;
    const targets = referring.refers.map((reference) => this.names.target(reference, referring.scope));
    this.#resolved.set(referring, targets);
    return targets;
  }

  /** Those that builds see, of this service or of all. */
  ofBuilds(serviceId?: string): Referring[] {
    return [...this.referring].filter(
      ({ scope, buildTime }) => (buildTime ?? 'no') !== 'no' && (serviceId === undefined || scope === serviceId),
    );
  }

  /** References that lead nowhere. */
  dangling(): Dangling[] {
    return [...this.referring].flatMap((one) =>
      this.#resolve(one).flatMap((why, index) => {
        if (typeof why !== 'string') return [];
        const { scope, key } = one;
        const reference = one.refers[index] ?? '';
        const from = this.names.labelOf({ scope, key });
        return [{ scope, key, reference, message: `${from} refers to ${shown(reference)}: ${why}` }];
      }),
    );
  }

  /** The variables of others that lead to this service by themselves, with the reference that does. */
  leadingTo(serviceId: string): { variable: Variable; reference: string }[] {
    return [...this.referring].flatMap(({ scope, key, refers }) => {
      if (scope === serviceId) return [];
      const to = refers.filter((reference) => {
        const target = this.names.target(reference, scope);
        if (typeof target === 'string') return false;
        return ('address' in target ? target.address.serviceId : target.variable.scope) === serviceId;
      });
      return to.map((reference) => ({ variable: { scope, key }, reference }));
    });
  }

  /** A way by references from one of these variables, or from any, back to itself; empty if there is none. */
  circle(from: Iterable<Variable> = this.referring): Variable[] {
    const done = new Set<string>();
    for (const start of from) {
      const found = this.#circleFrom(start, done);
      if (found.length > 0) return found;
    }
    return [];
  }

  /** Depth first, without recursion. `done`: from these nothing leads back. */
  #circleFrom(start: Variable, done: Set<string>): Variable[] {
    const path = [{ variable: start, next: this.#variables(start) }];
    const on = new Set([nodeOf(start)]);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const next = top.next.pop();
      if (next === undefined) {
        path.pop();
        on.delete(nodeOf(top.variable));
        done.add(nodeOf(top.variable));
      } else if (on.has(nodeOf(next))) {
        const ways = path.map(({ variable }) => variable);
        return [...ways.slice(ways.findIndex((one) => nodeOf(one) === nodeOf(next))), next];
      } else if (!done.has(nodeOf(next))) {
        on.add(nodeOf(next));
        path.push({ variable: next, next: this.#variables(next) });
      }
    }
    return [];
  }

  #variables(of: Variable): Variable[] {
    return this.targets(of).flatMap((target) => ('variable' in target ? [target.variable] : []));
  }

  /** The variables and processes that these lead to, directly or by others. */
  reached(from: Iterable<Variable>): { variables: Variable[]; processes: { serviceId: string; processId: string }[] } {
    const variables = new Map<string, Variable>();
    const processes = new Map<string, { serviceId: string; processId: string }>();
    const next = [...from];
    for (let one = next.pop(); one !== undefined; one = next.pop()) {
      for (const target of this.targets(one)) {
        if ('address' in target) {
          const { serviceId, processId } = target.address;
          processes.set(`${serviceId} ${processId}`, { serviceId, processId });
        } else if (!variables.has(nodeOf(target.variable))) {
          variables.set(nodeOf(target.variable), target.variable);
          next.push(target.variable);
        }
      }
    }
    return { variables: [...variables.values()], processes: [...processes.values()] };
  }

  /** The services that each service's variables lead to, by themselves or by shared ones. */
  refersTo(): Map<string, Map<string, Set<string>>> {
    const found = new Map<string, Map<string, Set<string>>>();
    for (const { scope, key } of this.referring) {
      if (scope === '') continue;
      const others = found.get(scope) ?? new Map<string, Set<string>>();
      for (const other of this.#servicesFrom({ scope, key })) {
        if (other !== scope) others.set(other, (others.get(other) ?? new Set()).add(key));
      }
      if (others.size > 0) found.set(scope, others);
    }
    return found;
  }

  /** Shared variables and those of the service itself lead on; another service answers for its own. */
  #servicesFrom(start: Variable): Set<string> {
    const services = new Set<string>();
    const seen = new Set<string>();
    const next = [start];
    for (let one = next.pop(); one !== undefined; one = next.pop()) {
      for (const target of this.targets(one)) {
        const scope = 'address' in target ? target.address.serviceId : target.variable.scope;
        if (scope !== '' && scope !== start.scope) services.add(scope);
        else if ('variable' in target && !seen.has(nodeOf(target.variable))) {
          seen.add(nodeOf(target.variable));
          next.push(target.variable);
        }
      }
    }
    return services;
  }
}

/** The variables whose values are others now: these, and all that lead to them or to these processes. */
export function changedBy(
  references: References,
  variables: Iterable<Variable>,
  isChanged: (process: { serviceId: string; processId: string }) => boolean,
): Variable[] {
  const referrers = new Map<string, Variable[]>();
  const changed = new Map([...variables].map((one) => [nodeOf(one), one]));
  for (const one of references.referring) {
    for (const target of references.targets(one)) {
      if ('address' in target) {
        if (isChanged(target.address)) changed.set(nodeOf(one), one);
      } else {
        const to = nodeOf(target.variable);
        const others = referrers.get(to) ?? [];
        others.push(one);
        referrers.set(to, others);
      }
    }
  }
  const next = [...changed.keys()];
  for (let node = next.pop(); node !== undefined; node = next.pop()) {
    for (const one of referrers.get(node) ?? []) {
      if (changed.has(nodeOf(one))) continue;
      changed.set(nodeOf(one), one);
      next.push(nodeOf(one));
    }
  }
  return [...changed.values()];
}
