import type { Database } from '../db/database.ts';
import { createDeletionActivities } from './deletion.ts';

/** Everything that actors can do, under the names by which they call it. */
export function createActivities(parts: { database: Database }) {
  return { ...createDeletionActivities(parts) };
}
