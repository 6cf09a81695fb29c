import type { Upstream } from './protocols/upstream.ts';

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : '';
}

/** Another attempt would end the same way. */
export function isLasting(error: Error): boolean {
  return ['UND_ERR_INVALID_ARG', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_NOT_SUPPORTED', 'body-stalled'].includes(
    codeOf(error),
  );
}

/** The status and the sentence for a request that came to nothing. */
export function failure(error: Error, sent: boolean): [number, string] {
  switch (codeOf(error)) {
    case 'UND_ERR_INVALID_ARG':
    case 'UND_ERR_NOT_SUPPORTED':
      return [400, 'The request has a header or a path that cannot be passed on.'];
    case 'UND_ERR_HEADERS_TIMEOUT':
      return [504, 'The application did not answer in time.'];
    case 'body-stalled':
      return [408, 'The body of the request did not come in time.'];
    default:
      return sent
        ? [502, 'The application broke off before it answered.']
        : [502, 'No instance of the application could be reached. Try again in a moment.'];
  }
}

export function noUpstream(upstreams: readonly Upstream[] | undefined): [number, string] {
  if (upstreams === undefined) return [404, 'No application answers to this host name here.'];
  if (upstreams.length === 0) return [503, 'The application has no instance that is ready. Try again in a moment.'];
  return [502, 'No instance of the application could be reached. Try again in a moment.'];
}
