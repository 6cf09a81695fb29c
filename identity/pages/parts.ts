import type Provider from 'oidc-provider';
import type { Logger } from 'pino';
import type { Keyring } from '../../db/keys/keys.ts';
import type { Database } from '../../db/postgres/database.ts';
import type { Settings } from '../../domain/settings/settings.ts';

/** The dependencies of the built-in provider's pages. */
export interface PageParts {
  provider: Provider;
  database: Database;
  keyring: Pick<Keyring, 'identityKey'>;
  settings: Settings;
  log: Logger;
}
