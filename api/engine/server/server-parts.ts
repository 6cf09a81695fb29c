import type { Logger } from 'pino';
import type { Heartbeats } from '../../../db/agents/heartbeats.ts';
import type { LastUsed } from '../../../db/credentials/last-used.ts';
import type { Keyring } from '../../../db/keys/keys.ts';
import type { Database } from '../../../db/postgres/database.ts';
import type { Settings } from '../../../domain/settings/settings.ts';
import type { Temporal } from '../../../temporal/connection/connect.ts';
import type { Bell } from '../../agent-link/bell.ts';
import type { AgentProgram } from '../../agent-releases/agent-program.ts';
import type { Provider } from '../../auth/provider.ts';
import type { Cancellations } from '../../commands/cancellations.ts';
import type { ConsoleFiles } from '../../console/console-files.ts';
import type { IssuerKeys } from '../../token-exchange/issuer-keys.ts';
import type { ReleasesFeed } from '../../version/changelog.ts';
import type { KnownCredentials } from '../limits/known-credentials.ts';
import type { RateLimiter } from '../limits/rate-limit.ts';
import type { Turns } from '../limits/turns.ts';
import type { Clocks } from '../streams/clocks.ts';
import type { Hub } from '../streams/hub.ts';

/** What this process has, for the pipeline and for the few operations that tell about the installation itself. */
export interface ServerParts {
  readonly settings: Settings;
  readonly database: Database;
  readonly keyring: Pick<
    Keyring,
    'cursorKey' | 'identityKey' | 'payloadKey' | 'encryptSecret' | 'decryptSecret' | 'derivedSecret' | 'secretHeader'
  >;
  /** For histories: whatever changes something goes through the outbox. */
  readonly temporal: Pick<Temporal, 'connection' | 'namespace'>;
  readonly lastUsed: LastUsed;
  readonly provider: Provider;
  readonly hub: Hub;
  /** Wakes agents that wait for work. */
  readonly bell: Bell;
  readonly cancellations: Cancellations;
  readonly heartbeats: Heartbeats;
  /** The agent as it is served to machines. */
  readonly agentProgram: AgentProgram | undefined;
  /** The console as it is served to browsers. */
  readonly consoleFiles: ConsoleFiles;
  readonly rates: RateLimiter;
  readonly known: KnownCredentials;
  readonly turns: Turns;
  /** Of the CI issuers that organizations trust. */
  readonly issuerKeys: IssuerKeys;
  readonly clocks: Clocks;
  readonly log: Logger;
  /** Names this process, in leases and in `process`. */
  readonly processId: string;
  readonly version: string;
  readonly releases: ReleasesFeed;
  /** openapi.json, as it is answered. */
  openapi(): Record<string, unknown>;
}
