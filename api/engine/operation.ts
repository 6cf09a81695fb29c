import { z } from 'zod';
import type { Effect } from '../../db/engine/effect.ts';
import type { Database } from '../../db/postgres/database.ts';
import type { ProblemCode } from '../../domain/problems.ts';
import type { Role } from '../../domain/roles.ts';
import type { Settings } from '../../domain/settings/settings.ts';
import { type AnswerOf, encoderOf } from './answers.ts';
import type { Caller, OrganizationCaller } from './caller.ts';
import type { Client } from './pipeline/client.ts';
import type { Resource } from './resource.ts';
import type { ServerParts } from './server/server-parts.ts';
import type { EventBatch } from './streams/frames.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Who may call. Everything about access that the interpreters, the tests and openapi.json know is said here. */
export type Access =
  | { scope: 'public' }
  | { scope: 'user'; credentials?: 'session' | 'token'; why?: string }
  | {
      scope: 'organization';
      role: Role;
      credentials?: 'session' | 'token';
      /** The message for the other kind of credential, if the general one is not clear enough. */
      why?: string;
      /** Whether a token that is limited to chosen projects may call: not where it would see or change more than those. */
      projectTokens: 'allowed' | 'refused';
    };
export type Scope = Access['scope'];

/** A class of operations with a limit of its own, besides the general one; see pipeline/rate-limit.ts. */
export type RateClass = 'credentials' | 'deletions' | 'searches';

/** A list answered page by page. `after` is the position that a cursor carries, signed. */
export interface Paged<After extends z.ZodType = z.ZodType, Beside extends z.ZodType = z.ZodType> {
  after: After;
  /** Fields of the answer beside its items, about all of them and not of the page alone. */
  beside?: Beside;
  defaultLimit?: number;
  maxLimit?: number;
}

/** Its bytes, and the values in it, each field and each item one. */
export type LargeBody = (settings: Settings) => { bytes: number; values: number };

export type StreamEvents = Record<string, z.ZodType>;
export interface Stream<Events extends StreamEvents = StreamEvents> {
  /** Organization streams live longer, beat slower and have a limit of their own. */
  kind: 'organization' | 'other';
  events: Events;
  /** Its query may ask for a faster heartbeat, in `heartbeat`, in seconds. */
  fasterHeartbeat?: true;
}
export type StreamEvent<Events extends StreamEvents> = {
  [Name in keyof Events & string]: { event: Name; data: z.output<Events[Name]>; id?: string; retry?: number };
}[keyof Events & string];

/** The argument of a handler. A changing one also gets the `effect` (unless it makes its own), a paged one the `page`. */
export interface HandlerInput<C, P, Q, B> {
  caller: C;
  path: P;
  query: Q;
  body: B;
  /** Who is at the other end, and its cookies. */
  client: Client;
  database: Database;
  server: ServerParts;
  /** Aborted when the time is up, the client has gone or the stream is to end. */
  signal: AbortSignal;
}
export interface Page<After> {
  limit: number;
  after: After | undefined;
}
export interface PageAnswer<Item, After, Beside = unknown> {
  items: Item[];
  beside?: Beside;
  /** The position of the last item, if more follow. */
  after: After | undefined;
}

/**
 * Opens the one effect of an operation with `ownEffect`. Of a request that was answered before it answers the stored answer,
 * and the work is not done; of a document nothing is stored, and it answers nothing.
 */
export type Once = <T>(work: (effect: Effect) => Promise<T>) => Promise<T>;

type CallerOf<S extends Scope> = S extends 'organization' ? OrganizationCaller : S extends 'user' ? Caller : undefined;
type GivenFor<
  M extends Method,
  S extends Scope,
  T,
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  A extends z.ZodType,
  O extends boolean,
> = HandlerInput<CallerOf<S>, z.output<P>, z.output<Q>, z.output<B>> &
  (M extends 'GET' ? unknown : [O] extends [true] ? { once: Once } : { effect: Effect }) &
  ([T] extends [never] ? unknown : { found: T }) &
  ([A] extends [never] ? unknown : { page: Page<z.output<A>> });

type Handle<G, R extends z.ZodType, A extends z.ZodType, E extends StreamEvents, N extends z.ZodType> = [E] extends [
  never,
]
  ? (
      given: G,
    ) => Promise<[A] extends [never] ? AnswerOf<R> : PageAnswer<AnswerOf<R>, z.output<A>> & Required<BesideOf<N>>>
  : (given: G) => AsyncGenerator<StreamEvent<E> | EventBatch<StreamEvent<E>>, void, undefined>;

type BesideOf<N extends z.ZodType> = [N] extends [never] ? unknown : { beside: z.output<N> };

type Definition<
  M extends Method,
  U extends string,
  S extends Scope,
  T,
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends z.ZodType,
  A extends z.ZodType,
  E extends StreamEvents,
  O extends boolean,
  N extends z.ZodType,
> = Omit<Extract<Access, { scope: S }>, 'scope'> & {
  /** `organization` where nothing is said. */
  scope?: S;
  method: M;
  /** As in the specification, `/api/v1/teams/{id}`. */
  url: U;
  summary: string;
  description?: string;
  /**
   * The kind of thing that `{id}` in the URL names. It is looked up first, in the effect where there is one, and given to `handle`
   * as `found`; what the caller does not see is 404.
   */
  of?: Resource<T>;
  /** By default that of a URL with `{id}`: a GUID. */
  path?: P;
  query?: Q;
  body?: B;
  /** How large its body may be, where that is more than others take. */
  largeBody?: LargeBody;
  /** The schema of the answer; of a paged list, of one item. Without it the answer is empty (204). */
  result?: R;
  /** 201 where something was created and is returned; 200 by default. */
  status?: 200 | 201 | 202;
  /**
   * Problems of this operation alone. Those that the interpreters add follow from the rest, as `not-found` does where it is `of`
   * something; without any it is there by default where the URL names a thing.
   */
  problems?: readonly ProblemCode[];
  rate?: RateClass;
  paged?: Paged<A, N>;
  stream?: Stream<E>;
  /** The answer carries a secret: it is never stored. Says the id of what was created, for a repeated request. */
  secretAnswer?: (answer: z.output<R>) => string;
  /**
   * The browser is redirected: `handle` answers the address (302; `result: z.string()`), and a failure is a page for a client that
   * accepts HTML. Such operations are not procedures of tRPC.
   */
  redirects?: true;
  /** The answer is a document with a form of its own: it gets no `$schema`. */
  document?: true;
  /**
   * `handle` opens its effect itself by `once`, after it has asked somebody else over the network: a transaction that is
   * open meanwhile would keep a connection for as long as they take. It answers what `once` answered, since that is stored
   * for a repeat with the same `Idempotency-Key`. A document is read anew instead, and only its effect happens once.
   */
  ownEffect?: O;
  handle: Handle<GivenFor<M, S, T, P, Q, B, A, O>, R, A, E, N>;
};

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
