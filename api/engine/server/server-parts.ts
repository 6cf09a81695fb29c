import type { Logger } from 'pino';
import type { LastUsed } from '../../../db/credentials/last-used.ts';
import type { Keyring } from '../../../db/keys/keys.ts';
import type { Database } from '../../../db/postgres/database.ts';
import type { Settings } from '../../../domain/settings/settings.ts';
import type { OutboundRules } from '../../../outbound/rules.ts';
import type { Temporal } from '../../../temporal/connection/connect.ts';
import type { KnownCredentials } from '../limits/known-credentials.ts';
import type { RateLimiter } from '../limits/rate-limit.ts';
import type { Turns } from '../limits/turns.ts';
import type { Clocks } from '../streams/clocks.ts';
import type { Hub } from '../streams/hub.ts';

/**
 * The parts of this process, for the pipeline and for operations that tell about the installation itself. A subject with
 * a part of its own adds it here from its own file (`declare module`), and api/app.ts makes it.
 */
export interface ServerParts {
  readonly settings: Settings;
  readonly database: Database;
  readonly keyring: Pick<
    Keyring,
    'cursorKey' | 'identityKey' | 'payloadKey' | 'encryptSecret' | 'decryptSecret' | 'derivedSecret' | 'secretHeader'
  >;
  /** For histories: whatever changes something goes through the outbox. */
  readonly temporal: Pick<Temporal, 'connection' | 'namespace'>;
  /** For requests to addresses that users give. */
  readonly outbound: OutboundRules;
  readonly lastUsed: LastUsed;
  readonly hub: Hub;
  readonly rates: RateLimiter;
  readonly known: KnownCredentials;
  readonly turns: Turns;
  readonly clocks: Clocks;
  readonly log: Logger;
  /** Names this process, in leases and in `process`. */
  readonly processId: string;
  readonly version: string;
  /** openapi.json, as it is answered. */
  openapi(): Record<string, unknown>;
}
