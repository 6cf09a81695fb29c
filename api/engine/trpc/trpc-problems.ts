import { TRPCError } from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import { Problem } from '../../../domain/problems.ts';
import { type ProblemBody, problemBody } from '../problems/problem-answer.ts';

type TrpcCode = TRPCError['code'];

const codes: Readonly<Record<number, TrpcCode>> = {
  400: 'BAD_REQUEST',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_SUPPORTED',
  408: 'TIMEOUT',
  409: 'CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  421: 'BAD_REQUEST',
  422: 'UNPROCESSABLE_CONTENT',
  429: 'TOO_MANY_REQUESTS',
  499: 'CLIENT_CLOSED_REQUEST',
  503: 'SERVICE_UNAVAILABLE',
  504: 'GATEWAY_TIMEOUT',
};

/** A problem in the words of tRPC. The problem itself goes along, for the console to show. */
export function trpcError(problem: Problem): TRPCError {
  return new TRPCError({
    code: codes[problem.status] ?? 'INTERNAL_SERVER_ERROR',
    message: problem.message,
    cause: problem,
  });
}

/** The problem behind an error of tRPC: ours, or what tRPC itself refused (no such procedure, an input that is no JSON). */
export function problemOfTrpc(error: TRPCError): ProblemBody {
  return problemBody(problemBehind(error));
}

export function problemBehind(error: TRPCError): Problem {
  if (error.cause instanceof Problem) return error.cause;
  const status = getHTTPStatusCodeFromError(error);
  if (status === 404) return new Problem('not-found', 'There is no such procedure.');
  if (status === 405)
    return new Problem('method-not-allowed', 'Queries and subscriptions are asked for by GET, mutations by POST.');
  if (status >= 500) return new Problem('defect', 'Something went wrong in the control plane.');
  return new Problem(
    'invalid-request',
    'The request cannot be understood: its input must be JSON, and it must not be batched.',
  );
}
