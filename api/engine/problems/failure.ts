import { connectionFailure } from '../../../db/postgres/connection-failure.ts';
import { Problem } from '../../../domain/problems.ts';

const unreadable = new Set(['FST_ERR_CTP_INVALID_JSON_BODY', 'FST_ERR_CTP_EMPTY_JSON_BODY']);
const cancelled = '57014';
const retried = new Set(['40001', '40P01', '55P03']);

/** The problem that a client sees for any failure. Unknown failures are defects of ours, quoted by the request's id. */
export function problemOf(error: unknown, requestId: string): Problem {
  if (error instanceof Problem) return error;
  const code = codeOf(error);
  if (code !== undefined) {
    if (code.startsWith('FST_ERR_')) return ofFastify(code);
    if (code === cancelled) return timeout();
    if (retried.has(code)) {
      return new Problem('unavailable', 'Another change to the same thing is under way; try again in a moment.', {
        retryAfterSeconds: 1,
      });
    }
  }
  if (connectionFailure(error)) {
    return new Problem('unavailable', 'The database cannot be reached at the moment; try again in a few seconds.', {
      retryAfterSeconds: 5,
    });
  }
  return new Problem('defect', `Something went wrong in the control plane. Quote the request id ${requestId}.`);
}

export function timeout(): Problem {
  return new Problem('timeout', 'The request took longer than the server allows; nothing was changed. Try again.');
}

function ofFastify(code: string): Problem {
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new Problem('body-too-large', 'The body is larger than the server accepts; send a smaller one.');
  }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new Problem('unsupported-media-type', 'The body must be JSON: send it with Content-Type: application/json.');
  }
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') {
    return new Problem('invalid-request', 'The body is shorter or longer than its Content-Length says.');
  }
  if (unreadable.has(code)) return malformedJson();
  if (code === 'FST_ERR_BAD_URL') {
    return new Problem('invalid-request', 'The path cannot be decoded; write a percent sign as %25.');
  }
  return new Problem('invalid-request', 'The request cannot be understood; check its method, path and headers.');
}

export function malformedJson(): Problem {
  return new Problem('invalid-request', 'The body is not valid JSON; check its syntax.');
}

/** Some wrap what the driver threw; the code that tells is on the outermost that has one. */
function codeOf(error: unknown): string | undefined {
  for (let current = error, depth = 0; current instanceof Error && depth < 5; current = current.cause, depth += 1) {
    if ('code' in current && typeof current.code === 'string') return current.code;
  }
  return undefined;
}
