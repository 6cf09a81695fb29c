import type { Entry, Value } from './document.ts';
import { beneath, type Problems } from './problems.ts';

type Rule = (value: unknown) => string | undefined;

/** Reads the keys of one map of a file, each by its rule, and tells of those that are not known. */
export class Fields {
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #path: string;
  readonly #problems: Problems;

  constructor(value: Value | undefined, path: string, known: readonly string[], problems: Problems) {
    this.#path = path;
    this.#problems = problems;
    const entries = value === undefined ? [] : entriesOf(value, path, problems);
    this.#entries = new Map(entries.filter(({ key }) => known.includes(key)).map((entry) => [entry.key, entry]));
    for (const { key, line } of entries)
      if (!known.includes(key)) problems.unknown(line, beneath(path, key), key, known);
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  line(key: string): number {
    return this.#entries.get(key)?.line ?? 0;
  }

  value(key: string): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  path(key: string): string {
    return beneath(this.#path, key);
  }

  fault(key: string, message: string): void {
    this.#problems.add(this.line(key), this.path(key), message);
  }

  /** A text that is not empty: a file that says nothing of a key leaves it out. */
  text(key: string, rule: Rule): string {
    const value = this.value(key);
    if (value === undefined) return '';
    const text = value.kind === 'scalar' && typeof value.value === 'string' ? value.value : undefined;
    if (text === '') this.fault(key, 'is empty: leave the key out.');
    else if (text === undefined) this.fault(key, 'must be a text; numbers and the like are written in quotes.');
    else if (this.#keeps(key, rule(text))) return text;
    return '';
  }

  oneOf<const Known extends string>(key: string, known: readonly Known[]): Known | '' {
    const text = this.text(key, (value) =>
      known.some((one) => one === value) ? undefined : `must be one of ${known.join(', ')}`,
    );
    return known.find((one) => one === text) ?? '';
  }

  number(key: string, rule: Rule): number | undefined {
    return this.#scalar(key, rule, (value) => (typeof value === 'number' ? value : undefined));
  }

  flag(key: string): boolean | undefined {
    return this.#scalar(
      key,
      (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
      (value) => (typeof value === 'boolean' ? value : undefined),
    );
  }

  /** A number, or a text with a unit such as `512Mi`. */
  amount(key: string, units: Readonly<Record<string, number>>, rule: Rule): number | undefined {
    const names = Object.keys(units).join(', ');
    return this.#scalar(
      key,
      (value) => (Number.isNaN(value) ? `must be a whole number, or one with a unit of ${names}` : rule(value)),
      (value) => {
        if (typeof value === 'number') return value;
        const [, amount, unit = ''] = (typeof value === 'string' && /^(\d{1,15})([A-Za-z]{1,3})$/.exec(value)) || [];
        return Number(amount) * (units[unit] ?? Number.NaN);
      },
    );
  }

  texts(key: string, rule: Rule, example: string): string[] {
    const value = this.value(key);
    if (value === undefined) return [];
    if (value.kind !== 'list' || value.items.length === 0) {
      this.fault(key, `must be a list of texts that is not empty, such as ${example}.`);
      return [];
    }
    const texts = value.items.flatMap((item, index) => {
      const one = textOf(item);
      if (one === undefined)
        this.#problems.add(item.line, `${this.path(key)}[${index}]`, 'must be a text of one value.');
      return one ?? [];
    });
    return this.#keeps(key, rule(texts)) ? texts : [];
  }

  /** A map of texts, each as it is written: `1.10` stays `1.10`. */
  map(key: string, most: number, ruleOf: (name: string, text: string) => string | undefined): Record<string, string> {
    const value = this.value(key);
    if (value === undefined) return {};
    const entries = entriesOf(value, this.path(key), this.#problems);
    if (entries.length > most) this.fault(key, `has more than ${most} entries.`);
    const read = entries.slice(0, most).flatMap(({ key: name, line, value: one }) => {
      const text = textOf(one);
      const fault = text === undefined ? 'must be a text; write "" for an empty one' : ruleOf(name, text);
      if (fault === undefined && text !== undefined) return [[name, text] as const];
      this.#problems.add(line, beneath(this.path(key), name), `${fault}.`);
      return [];
    });
    return Object.fromEntries(read);
  }

  #scalar<T>(key: string, rule: Rule, read: (value: unknown) => T | undefined): T | undefined {
    const value = this.value(key);
    if (value === undefined) return undefined;
    const found = value.kind === 'scalar' ? read(value.value) : undefined;
    return this.#keeps(key, rule(found)) ? found : undefined;
  }

  #keeps(key: string, fault: string | undefined): boolean {
    if (fault !== undefined) this.fault(key, `${fault}.`);
    return fault === undefined;
  }
}

export function entriesOf(value: Value, path: string, problems: Problems): Entry[] {
  if (value.kind === 'map') return value.entries;
  problems.add(value.line, path, 'must be a map of keys and values.');
  return [];
}

function textOf(value: Value): string | undefined {
  if (value.kind !== 'scalar' || value.value === null) return undefined;
  return value.written;
}
