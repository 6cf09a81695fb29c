import { Problem } from '../../domain/problems.ts';
import { hasStatus } from '../../temporal/connection/grpc-status.ts';

/** Asks Temporal; while it is away the answer is 503. */
export async function reached<T>(asking: () => Promise<T>): Promise<T> {
  try {
    return await asking();
  } catch (error) {
    if (!isAway(error)) throw error;
    throw new Problem(
      'unavailable',
      'The history of a running workflow is in Temporal, which cannot be reached; try again in a moment.',
      { retryAfterSeconds: 5 },
    );
  }
}

/** Nobody answers at Temporal's address, or not in time. */
export function isAway(error: unknown): boolean {
  return hasStatus(error, 'unavailable', 'deadlineExceeded');
}
