import { randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { Database } from '../postgres/database.ts';
import type { Tables } from '../postgres/tables.ts';
import { type KeysFile, readKeysFile } from './keys-file.ts';
import { CannotOpen, seal, unseal } from './sealing.ts';
import type { KeyPurpose } from './table.ts';

export interface DataKey {
  id: string;
  key: Buffer;
}

/** Whose key: an organization's for its secrets, or one of the installation's. */
export type KeyOwner = { purpose: 'secrets'; organizationId: string } | { purpose: Exclude<KeyPurpose, 'secrets'> };

export interface WrappedKey {
  id: string;
  purpose: KeyPurpose;
  organization_id: string | null;
  kek_id: string;
  wrapped: Buffer;
}

const keyBytes = 32;
const columns = ['id', 'purpose', 'organization_id', 'kek_id', 'wrapped'] as const;

/** Reads, makes and wraps the data keys. Knows the key-encryption keys; keeps nothing else. */
export class DataKeys {
  readonly #kysely: Kysely<Tables>;
  readonly #path: string;
  #file: KeysFile | undefined;

  constructor(database: Pick<Database, 'beside'>, path: string) {
    // Effects wait for keys with a connection in their hands: keys may not take another one of the same pool.
    this.#kysely = database.beside;
    this.#path = path;
  }

  async find(id: string, purpose: KeyPurpose): Promise<DataKey | undefined> {
    const row = await this.#kysely
      .selectFrom('data_key')
      .select(columns)
      .where('id', '=', id)
      .where('purpose', '=', purpose)
      .executeTakeFirst();
    return row === undefined ? undefined : this.unwrap(row);
  }

  /** The owner's key; made when there is none yet. Two that make one at once both get the same. */
  async findOrCreate(owner: KeyOwner): Promise<DataKey> {
    const row = (await this.#ofOwner(this.#kysely, owner)) ?? (await this.#create(owner));
    return await this.unwrap(row);
  }

  async unwrap(row: WrappedKey): Promise<DataKey> {
    const kek = await this.#kek(row.kek_id);
    try {
      return { id: row.id, key: unseal(kek, row.wrapped, boundTo(row)) };
    } catch (error) {
      throw new CannotOpen(
        `The data key ${row.id} cannot be decrypted with the keys file ${this.#path}: restore the one that belongs to this database.`,
        { cause: error },
      );
    }
  }

  wrap(key: DataKey, row: Omit<WrappedKey, 'wrapped' | 'kek_id'>, kek: Buffer): Buffer {
    return seal(kek, key.key, boundTo(row));
  }

  async readFile(): Promise<KeysFile> {
    this.#file = await readKeysFile(this.#path);
    return this.#file;
  }

  async #ofOwner(kysely: Kysely<Tables>, owner: KeyOwner): Promise<WrappedKey | undefined> {
    const query = kysely.selectFrom('data_key').select(columns).where('purpose', '=', owner.purpose);
    return await (owner.purpose === 'secrets' ? query.where('organization_id', '=', owner.organizationId) : query)
      .limit(1)
      .executeTakeFirst();
  }

  async #create(owner: KeyOwner): Promise<WrappedKey> {
    return await this.#kysely.transaction().execute(async (transaction) => {
      // Against a rotation: it must not drop the key-encryption key between our reading it and our row.
      await lockKeys(transaction, 'shared');
      const { current, keys } = await this.readFile();
      const kek = keys.get(current);
      if (kek === undefined) throw new Error(`The keys file ${this.#path} has no current key: restore it.`);
      await this.#refuseOutdatedFile(transaction, current);
      const row = {
        id: uuid(),
        purpose: owner.purpose,
        organization_id: owner.purpose === 'secrets' ? owner.organizationId : null,
      };
      const wrapped = this.wrap({ id: row.id, key: randomBytes(keyBytes) }, row, kek);
      await transaction
        .insertInto('data_key')
        .values({ ...row, kek_id: current, wrapped })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const stored = await this.#ofOwner(transaction, owner);
      if (stored === undefined) throw new Error('A data key was neither there nor made.');
      return stored;
    });
  }

  /** Where each machine has its own copy of the file, an old one would wrap with a key that the others have dropped. */
  async #refuseOutdatedFile(transaction: Kysely<Tables>, current: string): Promise<void> {
    const newest = await transaction
      .selectFrom('data_key')
      .select('kek_id')
      .where('purpose', '=', 'payloads')
      .executeTakeFirst();
    if (newest !== undefined && newest.kek_id !== current) {
      throw new Error(
        `The keys file ${this.#path} is not the one that the database's keys were wrapped with last: copy the newest one to this machine.`,
      );
    }
  }

  /** An unknown one may have come with a rotation in another process, so the file is read again once. */
  async #kek(id: string): Promise<Buffer> {
    const kek = this.#file?.keys.get(id) ?? (await this.readFile()).keys.get(id);
    if (kek === undefined) {
      throw new CannotOpen(
        `The keys file ${this.#path} lacks the key ${id}, which this database's keys are wrapped with: restore the file that belongs to this database.`,
      );
    }
    return kek;
  }
}

/** Held exclusively by a rotation and shared by the creation of a data key, until the transaction ends. */
export async function lockKeys(transaction: Kysely<Tables>, mode: 'shared' | 'exclusive'): Promise<void> {
  const lock = sql.raw(mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock');
  await sql`select ${lock}(hashtextextended('ballast keys', 0))`.execute(transaction);
}

function boundTo(row: Pick<WrappedKey, 'id' | 'purpose' | 'organization_id'>): string {
  return `data_key:${row.id}:${row.purpose}:${row.organization_id ?? 'installation'}`;
}
