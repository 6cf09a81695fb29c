/**
 * For developers: `npm run migration -- <name>` writes the migration from those there are to the entities as they are now.
 * `DATABASE_URL` may name a server on which a scratch database can be made; without it, one is started for the moment.
 */
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { declaredForeignKeys, keptForeignKeys } from '../../db/postgres/foreign-keys.ts';
import { startPostgres } from '../../runtime/ground.ts';
import { removeHome } from '../ground/remove-home.ts';

const folder = fileURLToPath(new URL('../../db/migrations', import.meta.url));
const [name = ''] = process.argv.slice(2);
// The migrations read the foreign keys when they are loaded.
writeFileSync(keptForeignKeys, await declaredForeignKeys());
const { makeMigration, migrationName } = await import('../../db/migrations/make-migration.ts');
if (!migrationName.test(name)) {
  console.error('Give the migration a name of small letters, digits and dashes: npm run migration -- add-projects');
  process.exit(1);
}
const given = process.env.DATABASE_URL ?? '';
const fileName = given === '' ? await withOwnServer(make) : await make(given);
console.log(
  fileName === undefined
    ? 'The entities are as the last migration left them: there is nothing to migrate.'
    : `Wrote db/migrations/${fileName}: read it, and make it expand before it contracts.`,
);

function make(server: string): Promise<string | undefined> {
  return makeMigration(server, name, folder);
}

async function withOwnServer<T>(work: (server: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'ballast-migration-'));
  const home = join(directory, 'home');
  try {
    const { adminUrl, stop } = await startPostgres({ home, log: () => undefined });
    try {
      return await work(adminUrl);
    } finally {
      await stop();
    }
  } finally {
    removeHome(home);
    await rm(directory, { recursive: true });
  }
}
