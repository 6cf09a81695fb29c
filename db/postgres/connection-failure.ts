const nodeCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
]);

/** Connection exceptions, lack of resources, a server that shuts down, starts up or is a read-only stand-by. */
const sqlStates = /^(08|53)...$|^57P0[1235]$|^25006$/;

/** How `pg` says that a connection broke, where it gives no code. */
const driverMessages =
  /connection terminated|timeout exceeded when trying to connect|not queryable|client was closed|connection ended/i;

/** Whether the database is away, as opposed to: something is wrong with what we asked it. */
export function connectionFailure(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(connectionFailure);
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'string') return nodeCodes.has(code) ? networkCall(error) : sqlStates.test(code);
  return driverMessages.test(error.message) || connectionFailure(error.cause);
}

/** A missing file and a missing socket are both ENOENT: only the attempt to connect means the database. */
function networkCall(error: Error): boolean {
  const call = 'syscall' in error ? error.syscall : undefined;
  return !('code' in error && error.code === 'ENOENT') || call === 'connect';
}

/** Whether a lock was not to be had in time: somebody holds it, and the database is well. */
export function lockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03';
}

/** Others held a lock that many wait for, for too long: the effect is rolled back, and its request tries it again. */
export class LockBusy extends Error {
  override readonly name = 'LockBusy';
}

/** The constraint that says "there is one already", or undefined when the error is another. */
export function uniqueViolation(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== '23505') return undefined;
  return 'constraint' in error && typeof error.constraint === 'string' ? error.constraint : '';
}
