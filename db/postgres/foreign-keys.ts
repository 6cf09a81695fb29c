import { readdir } from 'node:fs/promises';

/**
 * A foreign key, in the database's own names. A reference between tables of an organization includes `organization_id`, so
 * that no row can point into another tenant. Entities hold plain ids: the schema generator gets the constraints from here
 * (see db/migrations/schema-generator.ts).
 */
export interface ForeignKey {
  table: string;
  columns: readonly string[];
  references: string;
  referenced: readonly string[];
  /** Effect on this row of deleting the referenced one; without it, that deletion is refused. */
  onDelete?: 'cascade';
}

/**
 * Every foreign key, of the files `db/<subject>/foreign-keys.ts`. Found in their folders, since the entities beside them
 * load MikroORM, and what serves needs the keys alone.
 */
export const foreignKeys: readonly ForeignKey[] = await foreignKeysIn(new URL('../', import.meta.url));

async function foreignKeysIn(folder: URL): Promise<ForeignKey[]> {
  const files = (await readdir(folder, { recursive: true })).filter(
    (file) => /^[^/\\]+[/\\]foreign-keys\.ts$/.test(file) && !file.startsWith('postgres'),
  );
  const found = files.toSorted().map(async (file) => {
    const module: { foreignKeys?: readonly ForeignKey[] } = await import(new URL(file, folder).href);
    if (module.foreignKeys === undefined) throw new Error(`db/${file} exports no foreignKeys.`);
    return module.foreignKeys;
  });
  return (await Promise.all(found)).flat();
}

export function foreignKeyName(key: ForeignKey): string {
  return `${key.table}_${key.columns.join('_')}_foreign`;
}
