import type { Upstream } from './protocols/upstream.ts';

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : '';
}

/** Another attempt would end the same way. */
export function isLasting(error: Error): boolean {
  return ['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED'].includes(codeOf(error));
}

export const crowded = 'Too many connections from this address. Close some, and try again in a moment.';
const unreached =
  'No instance of the application could be reached, so nothing was done with the request. Try again in a moment.';

export type Reached =
  /** No connection could be opened. */
  | 'nowhere'
  /** An instance may have got it, and may have acted on it. */
  | 'instance'
  /** The instance says that it did nothing with it. */
  | 'refused';

/** The status and the sentence for a request that came to nothing. */
export function failure(error: Error, reached: Reached): [number, string] {
  switch (codeOf(error)) {
    case 'UND_ERR_INVALID_ARG':
    case 'UND_ERR_NOT_SUPPORTED':
      return [400, 'The request has a header or a path that cannot be passed on.'];
    case 'UND_ERR_HEADERS_TIMEOUT':
      return [
        504,
        'The application did not answer in time. The request may have taken effect, so it was not repeated.',
      ];
    case 'body-stalled':
      return [408, 'The body of the request did not come in time.'];
  }
  if (reached === 'nowhere') return [502, unreached];
  if (reached === 'refused') return [503, 'The application did nothing with the request. Try again in a moment.'];
  return [
    502,
    'The application broke off before it answered. The request may have taken effect, so it was not repeated; check before you try again.',
  ];
}

export function noUpstream(upstreams: readonly Upstream[] | undefined): [number, string] {
  if (upstreams === undefined) return [404, 'No application answers to this host name here.'];
  if (upstreams.length === 0) return [503, 'The application has no instance that is ready. Try again in a moment.'];
  return [502, unreached];
}
