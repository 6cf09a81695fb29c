import type { Address } from './frozen-references.ts';
import { nodeOf, type References } from './graph.ts';
import type { Variable } from './names.ts';
import { partsOf } from './names.ts';

/** A value as it was written. `refers`: what it refers to; undefined where it stays as it is. */
export interface WrittenValue {
  value: string;
  secret: boolean;
  refers: readonly string[] | undefined;
}

/** A value with its references put in. Addresses are put in when it is delivered to a cluster. */
export interface Resolved {
  pieces: readonly (string | Address)[];
  /** It, or something that was put into it, is secret. */
  secret: boolean;
}

export const mostResolvedBytes = 131_072;

/** A value that would become too large, or a reference that leads nowhere or in a circle. */
export class CannotResolve extends Error {
  override readonly name = 'CannotResolve';
}

/** Puts values in, each once however many refer to it. */
export class Resolver {
  readonly #references: References;
  readonly #values: ReadonlyMap<string, WrittenValue>;
  readonly #done = new Map<string, Resolved>();

  /** `values`: by `nodeOf` of their variables. */
  constructor(references: References, values: ReadonlyMap<string, WrittenValue>) {
    this.#references = references;
    this.#values = values;
  }

  resolve(variable: Variable): Resolved {
    const waiting = [variable];
    const begun = new Set<string>();
    for (let one = waiting.at(-1); one !== undefined; one = waiting.at(-1)) {
      const missing = this.#needed(one).filter((other) => !this.#done.has(nodeOf(other)));
      if (missing.length === 0) {
        if (!this.#done.has(nodeOf(one))) this.#done.set(nodeOf(one), this.#put(one));
        waiting.pop();
      } else if (begun.has(nodeOf(one))) {
        throw new CannotResolve(`${this.#references.names.labelOf(one)} refers to itself`);
      } else {
        begun.add(nodeOf(one));
        waiting.push(...missing);
      }
    }
    return this.#done.get(nodeOf(variable)) as Resolved;
  }

  #needed(of: Variable): Variable[] {
    return this.#references.targets(of).flatMap((target) => ('variable' in target ? [target.variable] : []));
  }

  #put(variable: Variable): Resolved {
    const { names } = this.#references;
    const written = this.#values.get(nodeOf(variable));
    if (written === undefined) throw new CannotResolve(`${names.labelOf(variable)} is not there`);
    if (written.refers === undefined) return { pieces: [written.value], secret: written.secret };
    const pieces: (string | Address)[] = [];
    let secret = written.secret;
    for (const part of partsOf(written.value)) {
      if (typeof part === 'string') pieces.push(part);
      else {
        const target = names.target(part.reference, variable.scope);
        if (typeof target === 'string')
          throw new CannotResolve(`${names.labelOf(variable)} refers to ${part.reference}: ${target}`);
        if ('address' in target) pieces.push(target.address);
        else {
          const put = this.#done.get(nodeOf(target.variable)) as Resolved;
          pieces.push(...put.pieces);
          secret ||= put.secret;
        }
      }
      if (sizeOf(pieces) > mostResolvedBytes)
        throw new CannotResolve(`${names.labelOf(variable)} has more than 128 kB with its references put in`);
    }
    return { pieces: joined(pieces), secret };
  }
}

function sizeOf(pieces: readonly (string | Address)[]): number {
  return pieces.reduce((sum, piece) => sum + (typeof piece === 'string' ? Buffer.byteLength(piece) : 64), 0);
}

/** Texts side by side are one. */
function joined(pieces: readonly (string | Address)[]): (string | Address)[] {
  const result: (string | Address)[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    if (typeof piece === 'string' && typeof last === 'string') result[result.length - 1] = last + piece;
    else result.push(piece);
  }
  return result.length === 0 ? [''] : result;
}
