import type Provider from 'oidc-provider';
import type { Logger } from 'pino';
import type { Database } from '../../db/database.ts';
import type { Keyring } from '../../db/keys.ts';
import type { Settings } from '../../domain/settings.ts';

/** What the pages of the built-in provider stand on. */
export interface PageParts {
  provider: Provider;
  database: Database;
  keyring: Pick<Keyring, 'identityKey'>;
  settings: Settings;
  log: Logger;
}
