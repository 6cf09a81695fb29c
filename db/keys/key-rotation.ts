import type { Database } from '../postgres/database.ts';
import { type DataKeys, lockKeys } from './data-keys.ts';
import { withNewKey, writeKeysFile } from './keys-file.ts';

export interface Rotation {
  /** The id of the new key-encryption key. */
  current: string;
  /** How many data keys were wrapped again. */
  rewrapped: number;
  /** Key-encryption keys that nothing needs any more and that are gone from the file. */
  dropped: string[];
}

/**
 * In this order, so that a crash at any point leaves everything readable: the new key into the file, all data keys
 * wrapped with it in one transaction, then the old keys out of the file once no row needs them. Other processes read
 * the file again when they meet a key they do not know.
 */
export async function rotateKeys(database: Database, dataKeys: DataKeys, path: string): Promise<Rotation> {
  const rewrapped = await database.kysely.transaction().execute(async (transaction) => {
    await lockKeys(transaction, 'exclusive');
    const file = withNewKey(await dataKeys.readFile());
    await writeKeysFile(path, file);
    await dataKeys.readFile();
    const kek = file.keys.get(file.current);
    if (kek === undefined) throw new Error('The new key is not in the keys file.');
    const rows = await transaction.selectFrom('data_key').selectAll().forUpdate().execute();
    for (const row of rows) {
      const wrapped = dataKeys.wrap(await dataKeys.unwrap(row), row, kek);
      await transaction
        .updateTable('data_key')
        .set({ kek_id: file.current, wrapped })
        .where('id', '=', row.id)
        .execute();
    }
    return rows.length;
  });
  return await database.kysely.transaction().execute(async (transaction) => {
    await lockKeys(transaction, 'exclusive');
    const { current, keys } = await dataKeys.readFile();
    const used = await transaction.selectFrom('data_key').select('kek_id').distinct().execute();
    const needed = new Set([current, ...used.map((row) => row.kek_id)]);
    const dropped = [...keys.keys()].filter((id) => !needed.has(id));
    if (dropped.length > 0) {
      await writeKeysFile(path, { current, keys: new Map([...keys].filter(([id]) => needed.has(id))) });
      await dataKeys.readFile();
    }
    return { current, rewrapped, dropped };
  });
}
