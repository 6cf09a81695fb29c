import { hkdfSync } from 'node:crypto';
import { parse as uuidBytes, stringify as uuidText } from 'uuid';
import type { Database } from '../postgres/database.ts';
import { type DataKey, DataKeys } from './data-keys.ts';
import { type Rotation, rotateKeys } from './key-rotation.ts';
import { CannotOpen, seal, unseal } from './sealing.ts';

export { createKeysFile } from './keys-file.ts';
export { CannotOpen } from './sealing.ts';

/** Encrypts and decrypts what is secret. `row` is `table:id:column`: a ciphertext moved to another place does not open. */
export interface Keyring {
  /** The organization must be committed: its data key is made the first time, in a transaction of its own. */
  encryptSecret(organizationId: string, row: string, plaintext: string): Promise<Buffer>;
  decryptSecret(organizationId: string, row: string, ciphertext: Buffer): Promise<string>;
  /** The prefix of every sealed secret of the organization: format version and key id. */
  secretHeader(organizationId: string): Promise<Buffer>;
  /** 32 bytes derived from the organization's data key for one purpose: stable until the key is destroyed. */
  derivedSecret(organizationId: string, purpose: string): Promise<Buffer>;
  /** The key of histories' payloads: the current one, or the one a payload names. */
  payloadKey(id?: string): Promise<DataKey>;
  /** Signs cursors. */
  cursorKey(): Buffer;
  /** The key from which the API and the built-in provider derive shared secrets; see db/keys/identity-secrets.ts. */
  identityKey(): Buffer;
  /** Makes a new key-encryption key and wraps every data key with it. */
  rotate(): Promise<Rotation>;
}

const formatVersion = 1;
const headerBytes = 17;

/** Needs the database and the keys file: makes the installation's keys if they are not there yet. */
export async function openKeyring(database: Database, keysFile: string): Promise<Keyring> {
  const dataKeys = new DataKeys(database, keysFile);
  const cursors = await dataKeys.findOrCreate({ purpose: 'cursors' });
  const identity = await dataKeys.findOrCreate({ purpose: 'identity' });
  const payloads = await dataKeys.findOrCreate({ purpose: 'payloads' });
  const byId = new Map<string, DataKey>([[payloads.id, payloads]]);
  const byOrganization = new Map<string, DataKey>();

  async function keyOf(organizationId: string): Promise<DataKey> {
    const known = byOrganization.get(organizationId);
    if (known !== undefined) return known;
    const key = await dataKeys.findOrCreate({ purpose: 'secrets', organizationId });
    byOrganization.set(organizationId, key);
    return key;
  }

  return {
    async encryptSecret(organizationId, row, plaintext) {
      const { id, key } = await keyOf(organizationId);
      return Buffer.concat([headerOf(id), seal(key, Buffer.from(plaintext, 'utf8'), `${id}:${organizationId}:${row}`)]);
    },

    async decryptSecret(organizationId, row, ciphertext) {
      if (ciphertext[0] !== formatVersion || ciphertext.length <= headerBytes) {
        throw new CannotOpen(
          `The secret ${row} is not in a form that this version knows: it was changed in the database.`,
        );
      }
      const { id, key } = await keyOf(organizationId);
      if (uuidText(ciphertext.subarray(1, headerBytes)) !== id) {
        throw new CannotOpen(`The secret ${row} was encrypted with a key that is not its organization's.`);
      }
      try {
        return unseal(key, ciphertext.subarray(headerBytes), `${id}:${organizationId}:${row}`).toString('utf8');
      } catch (error) {
        throw new CannotOpen(
          `The secret ${row} cannot be decrypted: it was changed in the database or moved from another row.`,
          {
            cause: error,
          },
        );
      }
    },

    secretHeader: async (organizationId) => headerOf((await keyOf(organizationId)).id),

    async derivedSecret(organizationId, purpose) {
      const { key } = await keyOf(organizationId);
      return Buffer.from(hkdfSync('sha256', key, '', `ballast organization: ${purpose}`, 32));
    },

    async payloadKey(id = payloads.id) {
      const known = byId.get(id) ?? (await dataKeys.find(id, 'payloads'));
      if (known === undefined)
        throw new Error(`There is no payload key ${id}: the payload belongs to another database.`);
      byId.set(id, known);
      return known;
    },

    cursorKey: () => cursors.key,
    identityKey: () => identity.key,
    rotate: () => rotateKeys(database, dataKeys, keysFile),
  };
}

function headerOf(keyId: string): Buffer {
  return Buffer.concat([Buffer.of(formatVersion), uuidBytes(keyId)]);
}

/** The part of the keyring that reads and writes stored secrets. */
export type Seals = Pick<Keyring, 'encryptSecret' | 'decryptSecret'>;
