import { readdir } from 'node:fs/promises';
import { columnOf } from '../../domain/actors/belongs-to.ts';
import { descriptors } from '../../workflows/descriptors.ts';

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
 * Every foreign key, of the files `db/<subject>/foreign-keys.ts` and of the actors' descriptors. Found in their folders,
 * since the entities beside them load MikroORM, and what serves needs the keys alone.
 */
export const foreignKeys: readonly ForeignKey[] = [
  ...(await foreignKeysIn(new URL('../', import.meta.url))),
  ...foreignKeysOfActors(),
];

/** An actor's row refers to the thing that it belongs to. */
function foreignKeysOfActors(): ForeignKey[] {
  return Object.values(descriptors).flatMap(({ table, belongsTo }) => {
    if (belongsTo === null) return [];
    const column = columnOf(belongsTo);
    return belongsTo === 'organization'
      ? [{ table, columns: [column], references: belongsTo, referenced: ['id'] }]
      : [{ table, columns: ['organization_id', column], references: belongsTo, referenced: ['organization_id', 'id'] }];
  });
}

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
