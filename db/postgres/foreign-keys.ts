import { readdir } from 'node:fs/promises';
import { columnOf } from '../../domain/actors/actors.ts';
import { descriptors } from '../../workflows/descriptors.ts';
import { type ForeignKey, toRow } from './foreign-key.ts';

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
      : [toRow(table, column, belongsTo)];
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
