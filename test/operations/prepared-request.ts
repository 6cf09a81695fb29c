import type { AnyOperation } from '../../api/engine/operation.ts';
import type { Call, Seeded } from '../installation/running-api.ts';
import type { Example } from './example.ts';
import type { Sent } from './id-fields.ts';

export interface PreparedRequest {
  /** Without its query. */
  path: string;
  query: Record<string, string>;
  body: unknown;
  as: Call['as'];
  fails: number | undefined;
  personal: boolean;
}

/** The example of an operation, and its further ones. */
export function requestsOf(examples: Readonly<Record<string, Example>>, name: string): Example[] {
  const example = examples[name];
  if (example === undefined) throw new Error(`There is no example for ${name}; add one in test/operations.`);
  const { also = [], ...first } = example;
  return [first, ...also.map((more) => ({ ...first, ...more }))];
}

/** A request that succeeds, with what it is about made anew. */
export async function prepared(example: Example, operation: AnyOperation, ours: Seeded): Promise<PreparedRequest> {
  return requestOf(example, operation, ours, (await example.prepare?.()) ?? {});
}

/** The request of an example about what was made for it. */
export function requestOf(
  example: Example,
  { url }: AnyOperation,
  ours: Seeded,
  made: Record<string, string>,
): PreparedRequest {
  return {
    path: url.replace(/\{(\w+)\}/g, (_, key: string) => made[key] ?? ''),
    query: example.query?.(made) ?? {},
    body: example.body?.(made),
    as: example.as?.(ours) ?? ours.tokens.admin,
    fails: example.fails,
    personal: example.personal === true,
  };
}

/** The address with the query, and the body, as they are called. */
export function asCall(path: string, { query, body }: Sent): [string, Pick<Call, 'body'>] {
  const text = new URLSearchParams(query as Record<string, string>).toString();
  return [text === '' ? path : `${path}?${text}`, body === undefined ? {} : { body }];
}
