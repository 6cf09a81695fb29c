import type { Logger } from 'pino';
import type { Database } from '../../db/postgres/database.ts';
import type { Temporal } from '../../temporal/connection/connect.ts';
import type { Metrics } from '../host/metrics.ts';

/** Dependencies of the reconciler. */
export interface Reconciling {
  database: Database;
  temporal: Temporal;
  log: Logger;
  metrics: Pick<Metrics, 'restarted' | 'ended'>;
  milliseconds?: number;
  /** A difference younger than this may be one that is under way: a start, a message, a last word. */
  graceSeconds?: number;
}
