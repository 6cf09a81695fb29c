import { z } from 'zod';
import type { Effect } from '../../db/engine/effect.ts';
import type { ProblemCode } from '../../domain/problems.ts';
import { encoderOf } from './answers.ts';
import type { OrganizationCaller } from './caller.ts';
import type {
  Access,
  Definition,
  HandlerInput,
  LargeBody,
  Method,
  Paged,
  RateClass,
  Scope,
  Stream,
  StreamEvent,
  StreamEvents,
} from './definition.ts';
import type { Resource } from './resource.ts';

/** An operation as the interpreters see it, whatever its types. */
export interface AnyOperation {
  readonly method: Method;
  readonly url: string;
  readonly summary: string;
  readonly description: string | undefined;
  readonly access: Access;
  readonly path: z.ZodType;
  readonly query: z.ZodType;
  readonly body: z.ZodType;
  readonly takesBody: boolean;
  readonly largeBody: LargeBody | undefined;
  readonly result: z.ZodType | undefined;
  readonly status: 200 | 201 | 202 | 204 | 302;
  readonly problems: readonly ProblemCode[];
  readonly rate: RateClass | undefined;
  readonly paged: Paged | undefined;
  readonly stream: Stream | undefined;
  readonly document: boolean;
  readonly redirects: boolean;
  readonly ownEffect: boolean;
  readonly carriesSecret: boolean;
  secretAnswer(answer: unknown): string | undefined;
  handle(given: AnyGiven): unknown;
  /** An answer, or an item of a paged one, as its schema says. */
  encode(answer: unknown): unknown;
}
export type AnyGiven = HandlerInput<unknown, unknown, unknown, unknown> & {
  effect?: unknown;
  once?: unknown;
  page?: unknown;
  found?: unknown;
};

/** The same with what the console needs to know of it: what goes in, what comes out, how it is called. */
export interface Operation<Input, Output, Kind extends 'query' | 'mutation' | 'subscription'> extends AnyOperation {
  readonly $types?: { input: Input; output: Output; kind: Kind };
}

type NoFields = z.ZodObject<Record<never, never>, z.core.$strict>;
const noFields: NoFields = z.strictObject({});
const idPath = z.strictObject({ id: z.guid().toLowerCase() });
type PathOf<Url extends string> = z.ZodObject<
  Url extends `${string}/{id}${string}` ? { id: z.ZodGUID } : Record<never, never>,
  z.core.$strict
>;

type Part<Name extends string, S extends z.ZodType> =
  undefined extends z.input<S>
    ? { [K in Name]?: z.input<S> }
    : [z.input<S>] extends [Record<string, never>]
      ? unknown
      : Partial<z.input<S>> extends z.input<S>
        ? { [K in Name]?: z.input<S> | undefined }
        : { [K in Name]: z.input<S> };
type PageQuery = { query?: { limit?: number; cursor?: string } };
type InputOf<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A> = Part<'path', P> &
  Part<'query', Q> &
  Part<'body', B> &
  ([A] extends [never] ? unknown : PageQuery);
type OutputOf<R extends z.ZodType, A, E extends StreamEvents, N extends z.ZodType> = [E] extends [never]
  ? [A] extends [never]
    ? z.output<R>
    : { items: z.output<R>[]; nextCursor?: string } & ([N] extends [never] ? unknown : z.output<N>)
  : AsyncIterable<StreamEvent<E>, void, undefined>;
type KindOf<M extends Method, E extends StreamEvents> = [E] extends [never]
  ? M extends 'GET'
    ? 'query'
    : 'mutation'
  : 'subscription';

/**
 * Defines one operation of the API. Its group in api/operations.ts and its key there give it its name; REST, tRPC,
 * openapi.json, the reference page and the sweeping tests all follow from this definition.
 */
export function operation<
  const M extends Method,
  const U extends string,
  const S extends Scope = 'organization',
  T = never,
  P extends z.ZodType = PathOf<U>,
  Q extends z.ZodType = NoFields,
  B extends z.ZodType = NoFields,
  R extends z.ZodType = z.ZodVoid,
  A extends z.ZodType = never,
  E extends StreamEvents = never,
  const O extends boolean = false,
  N extends z.ZodType = never,
>(
  definition: Definition<M, U, S, T, P, Q, B, R, A, E, O, N>,
): Operation<InputOf<P, Q, B, A>, OutputOf<R, A, E, N>, KindOf<M, E>> {
  const { method, url, summary, description, of, rate, paged, stream, secretAnswer } = definition;
  const erased: Pick<AnyOperation, 'handle' | 'secretAnswer'> = {
    handle: withFound(definition.handle as AnyOperation['handle'], of, stream !== undefined),
    secretAnswer: (secretAnswer ?? (() => undefined)) as AnyOperation['secretAnswer'],
  };
  return {
    method,
    url,
    summary,
    description,
    access: { ...definition, scope: definition.scope ?? 'organization' } as unknown as Access,
    path: definition.path ?? (url.includes('/{id}') ? idPath : noFields),
    query: paged ? withPaging(definition.query ?? noFields, paged) : (definition.query ?? noFields),
    body: definition.body ?? noFields.optional(),
    takesBody: definition.body !== undefined,
    largeBody: definition.largeBody,
    result: definition.redirects ? undefined : definition.result,
    status: statusOf(definition),
    problems: problemsOf(definition),
    rate,
    paged,
    stream,
    document: definition.document ?? false,
    encode: definition.result === undefined || definition.document ? (answer) => answer : encoderOf(definition.result),
    redirects: definition.redirects ?? false,
    ownEffect: definition.ownEffect ?? false,
    carriesSecret: secretAnswer !== undefined,
    ...erased,
  };
}

/** Looks up what the URL names, before the handler is called. */
function withFound(
  handle: AnyOperation['handle'],
  of: Resource<unknown> | undefined,
  streams: boolean,
): AnyOperation['handle'] {
  if (of === undefined) return handle;
  const found = async (given: AnyGiven): Promise<AnyGiven> => {
    const { caller, path, effect } = given as HandlerInput<OrganizationCaller, { id: string }, unknown, unknown> & {
      effect?: Effect;
    };
    return { ...given, found: await caller.see(of, path.id, effect?.kysely) };
  };
  if (!streams) return async (given) => await handle(await found(given));
  return async function* (given) {
    yield* handle(await found(given)) as AsyncGenerator;
  };
}

function problemsOf(definition: {
  url: string;
  of?: unknown;
  problems?: readonly ProblemCode[];
}): readonly ProblemCode[] {
  const { url, of, problems } = definition;
  if (of !== undefined) return ['not-found', ...(problems ?? [])];
  return problems ?? (url.includes('{') ? ['not-found'] : []);
}

function statusOf(definition: {
  redirects?: true;
  result?: unknown;
  status?: 200 | 201 | 202;
}): AnyOperation['status'] {
  if (definition.redirects) return 302;
  return definition.result === undefined ? 204 : (definition.status ?? 200);
}

function withPaging(query: z.ZodType, paged: Paged): z.ZodType {
  if (!(query instanceof z.ZodObject)) throw new Error('The query of a paged operation must be an object.');
  return query.extend({
    limit: z
      .int()
      .min(1)
      .max(paged.maxLimit ?? 200)
      .default(paged.defaultLimit ?? 50)
      .describe('How many items a page holds at most.'),
    cursor: z.string().max(2048).optional().describe('The `nextCursor` of the page before.'),
  });
}
