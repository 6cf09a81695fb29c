import type { z } from 'zod';
import type { Effect } from '../../db/engine/effect.ts';
import type { Database } from '../../db/postgres/database.ts';
import type { ProblemCode } from '../../domain/problems.ts';
import type { Role } from '../../domain/roles.ts';
import type { Settings } from '../../domain/settings/settings.ts';
import type { AnswerOf } from './answers.ts';
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

export type Definition<
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
