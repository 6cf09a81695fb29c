import { TRPCClientError } from '@trpc/client';
import type { ConsoleRouter } from '../../api/trpc.ts';

/** A failure as people are shown it. */
export interface ShownProblem {
  /** 0: no answer came. */
  status: number;
  detail: string;
  /** What to quote when asking for help. */
  requestId: string | undefined;
  /** By the place in the request, as in `body.name`. */
  fields: Record<string, string>;
}

export function problemOf(error: unknown): ShownProblem {
  if (isAnswered(error)) {
    const { problem, ...more } = error.data;
    const requestId = 'requestId' in more && typeof more.requestId === 'string' ? more.requestId : undefined;
    const fields = Object.fromEntries((problem.errors ?? []).map(({ location, message }) => [location, message]));
    return { status: problem.status, detail: problem.detail, requestId, fields };
  }
  return {
    status: 0,
    detail: 'The control plane does not answer. What is shown may be old; it is tried again by itself.',
    requestId: undefined,
    fields: {},
  };
}

/** Whether trying again may help: nobody answered, or it said that it cannot just now. */
export function isPassing(error: unknown): boolean {
  const { status } = problemOf(error);
  return status === 0 || status === 502 || status === 503 || status === 504;
}

type Answered = TRPCClientError<ConsoleRouter> & { data: NonNullable<TRPCClientError<ConsoleRouter>['data']> };

function isAnswered(error: unknown): error is Answered {
  if (!(error instanceof TRPCClientError)) return false;
  const data: unknown = error.data;
  return typeof data === 'object' && data !== null && 'problem' in data;
}
