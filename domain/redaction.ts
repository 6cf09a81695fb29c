/**
 * Names under which a secret, or what somebody's row holds, might be logged by accident; none is logged on purpose.
 * `parameters` and `detail` are PostgreSQL's: its errors quote values.
 */
const names = ['authorization', 'cookie', 'password', 'secret', 'token', 'apiKey', 'key', 'parameters', 'detail'];

/** Paths that every log leaves out, in pino's syntax. */
export const redaction = { paths: names.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[secret]' };
