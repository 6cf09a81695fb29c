import { readdir } from 'node:fs/promises';
import { Migration } from '@mikro-orm/migrations';
import type { Constructor } from '@mikro-orm/postgresql';

interface NamedMigration {
  name: string;
  class: Constructor<Migration>;
}

/** The migrations of a folder, each a file `Migration<time>_<name>.ts` with a class of that name, in the order of their times. */
export async function migrationsIn(folder: URL): Promise<NamedMigration[]> {
  const files = (await readdir(folder)).filter((file) => /^Migration.*\.ts$/.test(file)).toSorted();
  return await Promise.all(
    files.map(async (file) => {
      const name = file.slice(0, -'.ts'.length);
      if (!/^Migration\d{14}_\w+$/.test(name)) {
        throw new Error(`${file} is no name of a migration: name it Migration<14 digits of its time>_<name>.ts.`);
      }
      const module: Record<string, unknown> = await import(new URL(file, folder).href);
      const found = module[name];
      if (!isMigration(found)) throw new Error(`${file} exports no migration of its own name: call its class ${name}.`);
      return { name, class: found };
    }),
  );
}

function isMigration(found: unknown): found is Constructor<Migration> {
  return typeof found === 'function' && found.prototype instanceof Migration;
}

/** Every migration, in the order in which they run. A released one is never changed: a new one follows. */
export const migrations = await migrationsIn(new URL('./', import.meta.url));
