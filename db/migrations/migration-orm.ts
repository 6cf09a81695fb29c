import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import { returnBrokenConnections } from '../postgres/broken-connections.ts';
import { connectionOptions } from '../postgres/database.ts';
import { schemas } from '../schemas.ts';
import { migrations } from './index.ts';
import { TenantSchemaGenerator } from './schema-generator.ts';

/** MikroORM as migrations need it: with the schema generator, the migrator, and without a limit on statements. */
export function migrationOrm(url: string, onWarning?: (message: string) => void): MikroORM {
  return new MikroORM({
    entities: [...schemas],
    clientUrl: url,
    pool: { min: 0, max: 2 },
    driverOptions: {
      connectionString: url,
      ...connectionOptions({ applicationName: 'ballast migrate', statementTimeoutMillis: 0 }),
      onPoolCreated: returnBrokenConnections,
    },
    extensions: [TenantSchemaGenerator, Migrator],
    migrations: {
      path: import.meta.dirname,
      // Migrations are made against a database that has all of them: see make-migration.ts.
      snapshot: false,
      migrationsList: migrations,
      tableName: 'migration',
      silent: true,
    },
    // Partitions are no entities; the migrator keeps its own table.
    schemaGenerator: { skipTables: ['migration', /^change_feed_/, /^log_relay_\d$/] },
    logger: (message) => onWarning?.(message),
    colors: false,
    ensureDatabase: false,
    metadataCache: { enabled: false },
  });
}
