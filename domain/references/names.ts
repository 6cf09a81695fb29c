import { isListening } from '../deployments/workload-of.ts';
import type { ServiceSettings } from '../services/settings.ts';
import { type Address, type AddressPart, addressParts, type Listening } from './frozen-references.ts';

/** The scope of the variables that an environment's services share, as people write it. */
export const sharedScope = 'shared';

interface Written {
  /** As it was written between the braces, without blanks: `db.PASSWORD`. */
  reference: string;
}

/**
 * One to three names with dots between them, in `${{` and `}}`; blanks beside the braces do not count. `$${{` stands for `${{`
 * itself. Whatever else is written stays as it is: braces that do not close, other signs between them.
 */
const pattern = /\$\$\{\{|\$\{\{[ \t]*([\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+){0,2})[ \t]*\}\}/gu;

/** The parts of a value, in their order: text, and references. */
export function partsOf(value: string): (string | Written)[] {
  const parts: (string | Written)[] = [];
  let text = '';
  let at = 0;
  for (const match of value.matchAll(pattern)) {
    text += value.slice(at, match.index);
    at = match.index + match[0].length;
    const [, reference] = match;
    if (reference === undefined) text += '${{';
    else {
      if (text !== '') parts.push(text);
      parts.push({ reference });
      text = '';
    }
  }
  text += value.slice(at);
  return text === '' ? parts : [...parts, text];
}

/** The references of a value, each once; undefined where nothing of it is read, so that it stays as it is. */
export function referencesOf(value: string): string[] | undefined {
  if (!value.includes('${{')) return undefined;
  const parts = partsOf(value);
  if (parts.length === 1 && parts[0] === value) return undefined;
  return [...new Set(parts.flatMap((part) => (typeof part === 'string' ? [] : [part.reference])))];
}

/** A variable, by the id of its service; of a shared one that is empty. */
export interface Variable {
  scope: string;
  key: string;
}

export type Target = { variable: Variable } | { address: Address };

export function listeningOf({ processes }: Pick<ServiceSettings, 'processes'>): Listening[] {
  return Object.entries(processes)
    .flatMap(([id, one]) => (isListening(one) ? [{ id, name: one.name, kind: one.kind, port: one.port ?? 0 }] : []))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** The names of an environment: what a reference can lead to. */
export class Names {
  readonly #bySlug: ReadonlyMap<string, string>;
  readonly #slugs: ReadonlyMap<string, string>;
  readonly #listening: ReadonlyMap<string, readonly Listening[]>;
  readonly #has: (variable: Variable) => boolean;

  /** `slugs`: of the services in it, by id. */
  constructor(
    slugs: ReadonlyMap<string, string>,
    settings: ReadonlyMap<string, Pick<ServiceSettings, 'processes'>>,
    has: (variable: Variable) => boolean,
  ) {
    const there = [...slugs].filter(([id]) => settings.has(id));
    this.#slugs = slugs;
    this.#bySlug = new Map(there.map(([id, slug]) => [slug, id]));
    this.#listening = new Map([...settings].map(([id, one]) => [id, listeningOf(one)]));
    this.#has = has;
  }

  /** `api.KEY`, `shared.KEY`. */
  labelOf({ scope, key }: Variable): string {
    return `${scope === '' ? sharedScope : (this.#slugs.get(scope) ?? scope)}.${key}`;
  }

  listening(serviceId: string): readonly Listening[] {
    return this.#listening.get(serviceId) ?? [];
  }

  /** The target of a reference in a variable of this scope; a text says why it leads nowhere. */
  target(reference: string, scope: string): Target | string {
    const [first = '', second, third] = reference.split('.');
    if (second === undefined) return this.#variable({ scope, key: first });
    const serviceId = first === sharedScope ? '' : this.#bySlug.get(first);
    if (serviceId === undefined) return `there is no service "${shown(first)}" in this environment`;
    const part = addressParts.find((one) => one === (third ?? second));
    if (third !== undefined) return this.#ofProcess(serviceId, first, second, part);
    if (serviceId === '' || part === undefined) return this.#variable({ scope: serviceId, key: second });
    return this.#addressOf(serviceId, first, part);
  }

  #variable(variable: Variable): Target | string {
    if (this.#has(variable)) return { variable };
    if (variable.scope === '') return `there is no shared variable "${shown(variable.key)}"`;
    return `the service "${this.#slugs.get(variable.scope) ?? ''}" has no variable "${shown(variable.key)}"`;
  }

  #addressOf(serviceId: string, slug: string, part: AddressPart): Target | string {
    const own = this.#has({ scope: serviceId, key: part });
    const [only, another] = this.listening(serviceId);
    if (only === undefined) {
      if (own) return { variable: { scope: serviceId, key: part } };
      return `the service "${slug}" has no process that listens`;
    }
    if (own) {
      return `it may mean the variable ${part} of the service "${slug}" or its address: write \${{${slug}.${only.name}.${part}}} for the address, or call the variable otherwise`;
    }
    if (another === undefined) return { address: { serviceId, processId: only.id, part } };
    const all = this.listening(serviceId).map(({ name }) => `\${{${slug}.${name}.${part}}}`);
    return `several processes of the service "${slug}" listen: write ${all.join(' or ')}`;
  }

  #ofProcess(serviceId: string, slug: string, process: string, part: AddressPart | undefined): Target | string {
    if (serviceId === '' || part === undefined) return `after a process only ${addressParts.join(', ')} can follow`;
    const one = this.listening(serviceId).find(({ name }) => name === process);
    if (one !== undefined) return { address: { serviceId, processId: one.id, part } };
    return `the service "${slug}" has no process "${shown(process)}" that listens`;
  }
}

/** Names in a message, however long they are. */
export function shown(name: string): string {
  return name.length > 80 ? `${name.slice(0, 80)}…` : name;
}
