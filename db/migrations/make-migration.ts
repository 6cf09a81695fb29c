/**
 * For developers: writes the migration from the last snapshot to the entities as they are now. Then read it, make it
 * expand before it contracts. Run as `node db/migrations/make-migration.ts <name>`; it needs no database.
 */
import { parseArgs } from 'node:util';
import { migrationOrm } from './migration-orm.ts';

const { positionals } = parseArgs({ allowPositionals: true });
const [name] = positionals;
if (name === undefined || !/^[a-z0-9-]+$/.test(name)) {
  console.error(
    'Give the migration a name of small letters, digits and dashes: node db/migrations/make-migration.ts add-projects',
  );
  process.exit(1);
}
const orm = migrationOrm(process.env.DATABASE_URL ?? 'postgresql://127.0.0.1/none');
try {
  const { fileName } = await orm.migrator.create(undefined, false, false, name);
  console.log(
    fileName === ''
      ? 'The entities are as the last migration left them: there is nothing to migrate.'
      : `Wrote db/migrations/${fileName}: read it, and make it expand before it contracts.`,
  );
} finally {
  await orm.close(true);
}
