import {
  initTRPC,
  type TRPCBuiltRouter,
  type TRPCMutationProcedure,
  type TRPCQueryProcedure,
  type TRPCSubscriptionProcedure,
} from '@trpc/server';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Operations } from '../../operations.ts';
import { visitOf } from '../http/admit.ts';
import { noted } from '../http/problem-reply.ts';
import { type Input, invalidField } from '../input/input.ts';
import type { AnyOperation, Operation } from '../operation.ts';
import { run } from '../pipeline/run.ts';
import { inSpan } from '../pipeline/span.ts';
import type { ProblemBody } from '../problems/problem-answer.ts';
import { isOperation, type Registry } from '../registry.ts';
import type { ServerParts } from '../server/server-parts.ts';
import { openStream } from '../streams/open-stream.ts';
import { eventsOf } from '../streams/trpc-events.ts';
import { problemOfTrpc, trpcError } from './trpc-problems.ts';

export interface TrpcContext {
  request: FastifyRequest;
}

/** A failure as the console sees it: the same problem that REST answers. */
export interface TrpcErrorShape {
  message: string;
  code: number;
  data: { code: string; httpStatus: number; path?: string; problem: ProblemBody };
}

interface RootTypes {
  ctx: TrpcContext;
  meta: object;
  errorShape: TrpcErrorShape;
  transformer: false;
}
interface Procedure<Input, Output> {
  input: Input;
  output: Output;
  meta: object;
  errorShape: TrpcErrorShape;
}
type InputOf<I> = unknown extends I ? undefined : Partial<I> extends I ? I | undefined : I;
type ProceduresOf<R> = {
  [Name in keyof R]: R[Name] extends Operation<infer I, infer O, infer Kind>
    ? Kind extends 'query'
      ? TRPCQueryProcedure<Procedure<InputOf<I>, O>>
      : Kind extends 'mutation'
        ? TRPCMutationProcedure<Procedure<InputOf<I>, O>>
        : TRPCSubscriptionProcedure<Procedure<InputOf<I>, O>>
    : ProceduresOf<R[Name]>;
};

/** The type that the console's client is made with: inferred from the operations, nothing is generated. */
export type ConsoleRouter = TRPCBuiltRouter<RootTypes, ProceduresOf<Operations>>;

const partsOf = z.strictObject({
  path: z.unknown().optional(),
  query: z.unknown().optional(),
  body: z.unknown().optional(),
});

/** The operations as tRPC procedures, by the same names and through the same pipeline as REST. */
export function trpcRouter(server: ServerParts, registry: Registry) {
  const t = initTRPC.context<TrpcContext>().create({
    isDev: false,
    errorFormatter({ shape, error, path }): TrpcErrorShape {
      const problem = problemOfTrpc(error);
      const data = { code: shape.data.code, httpStatus: problem.status, problem };
      return { message: problem.detail, code: shape.code, data: path === undefined ? data : { ...data, path } };
    },
    sse: { ping: { enabled: true, intervalMs: server.clocks.heartbeat.other } },
  });
  const procedure = t.procedure.input((given: unknown) => given);

  const answer = async (request: FastifyRequest, given: unknown): Promise<unknown> => {
    const { incoming } = visitOf(request);
    try {
      const parts = inputParts(given);
      const { value } = await inSpan(incoming, () => run(server, incoming, parts));
      return value;
    } catch (error) {
      throw trpcError(noted(request, error));
    }
  };

  async function* events(request: FastifyRequest, given: unknown) {
    const visit = visitOf(request);
    visit.deadline.clear();
    try {
      yield* eventsOf(openStream(server, visit.incoming, inputParts(given)));
    } catch (error) {
      throw trpcError(noted(request, error));
    }
  }

  const procedures = (entries: Registry): ReturnType<typeof t.router> =>
    t.router(
      Object.fromEntries(
        // Browsers are led through redirects by addresses and forms.
        Object.entries(entries)
          .filter(([, entry]) => !redirects(entry))
          .map(([name, entry]) => {
            if (!isOperation(entry)) return [name, procedures(entry)];
            if (entry.stream !== undefined) {
              return [name, procedure.subscription(({ ctx, input }) => events(ctx.request, input))];
            }
            return entry.method === 'GET'
              ? [name, procedure.query(({ ctx, input }) => answer(ctx.request, input))]
              : [name, procedure.mutation(({ ctx, input }) => answer(ctx.request, input))];
          }),
      ),
    );
  return procedures(registry);
}

function redirects(entry: AnyOperation | Registry): boolean {
  return isOperation(entry) && entry.redirects;
}

function inputParts(given: unknown): Input {
  const parts = partsOf.safeParse(given ?? {});
  if (!parts.success) {
    throw invalidField('input', 'must be an object of path, query and body');
  }
  const { path = {}, query = {}, body } = parts.data;
  return { path, query, body };
}
