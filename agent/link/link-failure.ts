/**
 * Why a request got no answer that can be used.
 * `unreachable`: may pass, try again. `refused`: this very request will never be answered otherwise. The others are what
 * the control plane says about this agent as a whole.
 */
export type FailureKind = 'unreachable' | 'refused' | 'no-credential' | 'superseded' | 'cluster-deleted' | 'too-old';

export class LinkFailure extends Error {
  override readonly name = 'LinkFailure';
  readonly kind: FailureKind;
  /** The pause that the control plane asked for, if any. */
  readonly retryAfterMillis: number | undefined;
  /** Of an answer; undefined: there was none. */
  readonly status: number | undefined;

  constructor(kind: FailureKind, message: string, retryAfterMillis?: number, status?: number) {
    super(message);
    this.kind = kind;
    this.retryAfterMillis = retryAfterMillis;
    this.status = status;
  }
}

/** Nobody is there for now: no connection, or a proxy says so, or a control plane whose database is away. */
export function isAway(error: unknown): boolean {
  if (!(error instanceof LinkFailure) || error.kind !== 'unreachable') return false;
  return error.status === undefined || isAwayStatus(error.status);
}

export function isAwayStatus(status: number): boolean {
  return status === 502 || status === 503 || status === 504;
}

/** Classifies a failed answer. Only our own problems are believed: a proxy in between can answer anything. */
export function failureOf(status: number, contentType: string, body: string, retryAfter?: string): LinkFailure {
  const detail = contentType.startsWith('application/problem+json') ? detailOf(body) : undefined;
  const message = detail ?? `The control plane answered ${status}.`;
  const kind = detail === undefined ? 'unreachable' : (kinds[status] ?? (status < 500 ? 'refused' : 'unreachable'));
  const seconds = Number(retryAfter);
  return new LinkFailure(kind, message, seconds > 0 ? Math.min(seconds, 60) * 1000 : undefined, status);
}

const kinds: Readonly<Record<number, FailureKind>> = {
  403: 'no-credential',
  408: 'unreachable',
  409: 'superseded',
  410: 'cluster-deleted',
  425: 'unreachable',
  426: 'too-old',
  429: 'unreachable',
};

function detailOf(body: string): string | undefined {
  try {
    const problem: unknown = JSON.parse(body);
    if (typeof problem !== 'object' || problem === null || !('detail' in problem)) return undefined;
    return typeof problem.detail === 'string' ? problem.detail.slice(0, 1000) : undefined;
  } catch {
    return undefined;
  }
}
