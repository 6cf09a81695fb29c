/** Reads a value that came from outside, or throws `Unreadable`. */
export type Parser<T> = (value: unknown) => T;
export type Parsed<P> = P extends Parser<infer T> ? T : never;

/** The sentence goes into the history and the log: it names the field and never its value. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

const longestText = 20_000;

export const text: Parser<string> = (value) => {
  if (typeof value !== 'string') throw new Unreadable('a text is expected');
  if (value.length > longestText) throw new Unreadable(`a text has at most ${longestText} characters`);
  return value;
};

export function oneOf<const T extends string>(...values: readonly T[]): Parser<T> {
  return (value) => {
    const found = values.find((one) => one === value);
    if (found === undefined) throw new Unreadable(`one of ${values.join(', ')} is expected`);
    return found;
  };
}

const longestList = 100;

/** Its entries are kept as they are. */
export const list: Parser<readonly unknown[]> = (value) => {
  if (!Array.isArray(value)) throw new Unreadable('a list is expected');
  if (value.length > longestList) throw new Unreadable(`a list has at most ${longestList} entries`);
  return value;
};

export function nullable<T>(parser: Parser<T>): Parser<T | null> {
  return (value) => (value === null ? null : parser(value));
}

type Fields = Readonly<Record<string, Parser<unknown>>>;
type Read<Required, Optional> = { [Name in keyof Required]: Parsed<Required[Name]> } & {
  [Name in keyof Optional]?: Parsed<Optional[Name]>;
} & Record<string, unknown>;

/** An object with these fields, of which the second ones may be absent; further ones are kept as they are. */
export function fields<Required extends Fields, Optional extends Fields = Record<never, never>>(
  required: Required,
  optional?: Optional,
): Parser<Read<Required, Optional>> {
  return (value) => {
    if (!isObject(value)) throw new Unreadable('an object is expected');
    const read: Record<string, unknown> = { ...value };
    for (const [name, parser] of Object.entries({ ...optional, ...required })) {
      if (value[name] === undefined && !Object.hasOwn(required, name)) continue;
      try {
        read[name] = parser(value[name]);
      } catch (error) {
        throw error instanceof Unreadable ? new Unreadable(`${name}: ${error.message}`) : error;
      }
    }
    return read as Read<Required, Optional>;
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
