import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { columnOf } from '../../domain/actors/actors.ts';
import { descriptors } from '../../workflows/descriptors.ts';
import { type ForeignKey, toRow } from './foreign-key.ts';

const folder = new URL('../', import.meta.url);
/** Kept of the tables' files, since these load MikroORM, and what serves needs the keys alone. */
export const keptForeignKeys = new URL('foreign-keys.json', folder);

/** Every foreign key, of the tables and of the actors' descriptors. */
export const foreignKeys: readonly ForeignKey[] = [
  ...(JSON.parse(readFileSync(keptForeignKeys, 'utf8')) as ForeignKey[]),
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

/** The foreign keys of `db/<subject>/table.ts` as they are now, as the text of the kept file. */
export async function declaredForeignKeys(): Promise<string> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => /^[^/\\]+[/\\]table\.ts$/.test(file));
  const found = files.toSorted().map(async (file) => {
    const { foreignKeys = [] }: { foreignKeys?: readonly ForeignKey[] } = await import(new URL(file, folder).href);
    return foreignKeys;
  });
  const keys = (await Promise.all(found)).flat();
  return `[\n${keys.map((key) => ` ${JSON.stringify(key)}`).join(',\n')}\n]\n`;
}

export function foreignKeyName(key: ForeignKey): string {
  return `${key.table}_${key.columns.join('_')}_foreign`;
}
