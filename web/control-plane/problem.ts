import { TRPCClientError } from '@trpc/client';
import type { ConsoleRouter } from '../../api/engine/trpc/trpc.ts';

/** A failure as people are shown it. */
export interface ShownProblem {
  /** 0: no answer came. */
  status: number;
  detail: string;
  /** Quoted in requests for support. */
  requestId: string | undefined;
  /** By the place in the request, as in `body.name`. */
  fields: Record<string, string>;
  /** Fields that others changed after the form had opened, with their values of now. */
  meanwhile?: {
    field: string;
    value: unknown;
    by?: string | undefined;
    at?: string | undefined;
    /** Says, with a change to stage, that this was seen. */
    seen?: object | undefined;
  }[];
  /** The request is carried out once somebody accepts that a service is down for a moment. */
  downtime?: true | undefined;
  /** The same once somebody accepts that variables are missing. */
  missing?: true | undefined;
  /** Seconds to wait before a retry. */
  againAfter?: number | undefined;
}

export function problemOf(error: unknown): ShownProblem {
  if (isAnswered(error)) {
    const { problem, ...more } = error.data;
    const requestId = 'requestId' in more && typeof more.requestId === 'string' ? more.requestId : undefined;
    const againAfter = 'retryAfterSeconds' in more && Number(more.retryAfterSeconds);
    const fields = Object.fromEntries((problem.errors ?? []).map(({ location, message }) => [location, message]));
    const shown = { status: problem.status, detail: problem.detail, requestId, fields };
    if (problem.meanwhile !== undefined) {
      const meanwhile = problem.meanwhile.map(({ location, ...rest }) => ({
        field: location.replace(/^body\./, ''),
        ...rest,
      }));
      // The form asks whose change lasts; its fields are not at fault.
      return { ...shown, fields: {}, meanwhile };
    }
    const asked = { downtime: problem.downtime && true, missing: problem.missing && true } as const;
    return { ...shown, ...asked, againAfter: againAfter || undefined };
  }
  const detail =
    error instanceof TRPCClientError
      ? 'The control plane does not answer. This page may be out of date; it retries automatically.'
      : 'This page failed. Reload it; if that does not help, contact the operator of this installation.';
  return { status: error instanceof TRPCClientError ? 0 : 500, detail, requestId: undefined, fields: {} };
}

/** A list has nothing of the name that the address has. */
export class NotNamed extends Error {}

/** Whether the address names nothing: unknown, deleted, invisible to this person, or no id at all. */
export function isMissing(error: unknown): boolean {
  if (error instanceof NotNamed) return true;
  const { status, fields } = problemOf(error);
  const places = Object.keys(fields);
  return status === 404 || (status === 422 && places.length > 0 && places.every((place) => place.startsWith('path.')));
}

/** Of requests that are sent again because a retry may help. */
export const betweenRequests = { first: 400, longest: 4_000 };

/**
 * Whether a retry may help: no answer came, the control plane is unavailable, or the same request is still running.
 */
export function isPassing(error: unknown): boolean {
  const { status, againAfter } = problemOf(error);
  return [0, 502, 503, 504].includes(status) || (status === 409 && againAfter !== undefined);
}

type Answered = TRPCClientError<ConsoleRouter> & { data: NonNullable<TRPCClientError<ConsoleRouter>['data']> };

function isAnswered(error: unknown): error is Answered {
  if (!(error instanceof TRPCClientError)) return false;
  const data: unknown = error.data;
  return typeof data === 'object' && data !== null && 'problem' in data;
}
