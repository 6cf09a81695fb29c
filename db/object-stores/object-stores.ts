import { type Kysely, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { Problem } from '../../domain/problems.ts';
import type { Effect } from '../engine/effect.ts';
import type { Keyring } from '../keys/keys.ts';
import { uniqueViolation } from '../postgres/connection-failure.ts';
import type { JsonObject } from '../postgres/json.ts';
import { type Page, pageOf } from '../postgres/page-of.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';

/** What leads to a bucket, but for the secret. */
export interface StoreConnection {
  endpoint: string;
  region: string;
  bucket: string;
  prefix: string;
  forcePathStyle: boolean;
  accessKeyId: string;
  certificateAuthority: string;
}

export interface ObjectStoreView extends StoreConnection {
  id: string;
  organizationId: string;
  name: string;
  lastError: string;
  verifiedAt: Date | null;
  createdBy: string;
  createdAt: Date;
}

/** As a person gives it, with what came of asking the store: the reason of the first failure, or an empty text. */
export interface GivenStore extends StoreConnection {
  name: string;
  secretAccessKey: string;
  lastError: string;
}

const columns = [
  'id',
  'organization_id as organizationId',
  'name',
  'endpoint',
  'region',
  'bucket',
  'prefix',
  'force_path_style as forcePathStyle',
  'access_key_id as accessKeyId',
  'certificate_authority as certificateAuthority',
  'last_error as lastError',
  'verified_at as verifiedAt',
  'created_by as createdBy',
  'created_at as createdAt',
] as const;

const rows = (kysely: Kysely<Tables>, organizationId: string) =>
  tenant(kysely, organizationId).selectFrom('object_store').select(columns);

export async function findObjectStore(
  kysely: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<ObjectStoreView | undefined> {
  return await rows(kysely, organizationId).where('id', '=', id).executeTakeFirst();
}

/** Kept from others until the effect ends. */
export async function lockObjectStore(
  { kysely }: Effect,
  organizationId: string,
  id: string,
): Promise<ObjectStoreView | undefined> {
  return await rows(kysely, organizationId).where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Oldest first. */
export async function listObjectStores(
  kysely: Kysely<Tables>,
  organizationId: string,
  page: Page,
): Promise<ObjectStoreView[]> {
  return await rows(kysely, organizationId)
    .$call(pageOf('object_store', 'oldest', page))
    .execute();
}

export async function createObjectStore(
  effect: Effect,
  keyring: Pick<Keyring, 'encryptSecret'>,
  organizationId: string,
  { name, secretAccessKey, lastError, ...connection }: GivenStore,
): Promise<ObjectStoreView> {
  const id = uuid();
  const sealed = await keyring.encryptSecret(organizationId, sealedPlace(id), secretAccessKey);
  const created = await named(name, () =>
    tenant(effect.kysely, organizationId)
      .insertInto('object_store')
      .values({ id, name, sealed, created_by: effect.author.name, ...columnsOf(connection), ...checked(lastError) })
      .returning(columns)
      .executeTakeFirstOrThrow(),
  );
  record(effect, created, 'created', { endpoint: created.endpoint, bucket: created.bucket });
  return created;
}

/** `before`: read under its lock. Without `lastError` the store was not asked. */
export async function updateObjectStore(
  effect: Effect,
  keyring: Pick<Keyring, 'encryptSecret'>,
  before: ObjectStoreView,
  after: Pick<ObjectStoreView, 'name'> & StoreConnection & Partial<Pick<GivenStore, 'secretAccessKey' | 'lastError'>>,
  details: JsonObject,
): Promise<ObjectStoreView> {
  const { id, organizationId } = before;
  const { name, secretAccessKey: secret, lastError, ...connection } = after;
  const sealed =
    secret === undefined ? {} : { sealed: await keyring.encryptSecret(organizationId, sealedPlace(id), secret) };
  const updated = await named(name, () =>
    tenant(effect.kysely, organizationId)
      .updateTable('object_store')
      .set({ name, ...sealed, ...columnsOf(connection), ...(lastError === undefined ? {} : checked(lastError)) })
      .where('id', '=', id)
      .returning(columns)
      .executeTakeFirstOrThrow(),
  );
  record(effect, updated, 'updated', details);
  return updated;
}

export async function deleteObjectStore(effect: Effect, store: ObjectStoreView): Promise<void> {
  await tenant(effect.kysely, store.organizationId).deleteFrom('object_store').where('id', '=', store.id).execute();
  record(effect, store, 'deleted');
}

/** What came of a verification: the reason of its failure, or an empty text. */
export async function noteVerification(
  effect: Effect,
  store: ObjectStoreView,
  lastError: string,
): Promise<ObjectStoreView> {
  const verified = await tenant(effect.kysely, store.organizationId)
    .updateTable('object_store')
    .set(checked(lastError))
    .where('id', '=', store.id)
    .returning(columns)
    .executeTakeFirstOrThrow();
  record(effect, verified, 'verified', lastError === '' ? {} : { failed: true });
  return verified;
}

/** The secret access key; for nobody but the store itself. */
export async function secretAccessKeyOf(
  kysely: Kysely<Tables>,
  keyring: Pick<Keyring, 'decryptSecret'>,
  { id, organizationId }: Pick<ObjectStoreView, 'id' | 'organizationId'>,
): Promise<string | undefined> {
  const row = await tenant(kysely, organizationId)
    .selectFrom('object_store')
    .select('sealed')
    .where('id', '=', id)
    .executeTakeFirst();
  return row && (await keyring.decryptSecret(organizationId, sealedPlace(id), row.sealed));
}

async function named<T>(name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (uniqueViolation(error) !== 'object_store_organization_id_name_unique') throw error;
    throw new Problem('conflict', `An object store named "${name}" exists already: choose another name.`, {
      errors: [{ location: 'body.name', message: 'another object store has this name', value: name }],
    });
  }
}

function columnsOf({ forcePathStyle, accessKeyId, certificateAuthority, ...connection }: StoreConnection) {
  return {
    ...connection,
    force_path_style: forcePathStyle,
    access_key_id: accessKeyId,
    certificate_authority: certificateAuthority,
  };
}

function checked(lastError: string) {
  return { last_error: lastError, ...(lastError === '' ? { verified_at: sql<Date>`now()` } : {}) };
}

function record(
  effect: Effect,
  { id, organizationId, name }: ObjectStoreView,
  deed: 'created' | 'updated' | 'deleted' | 'verified',
  details: JsonObject = {},
): void {
  effect.audit(`object_store.${deed}`, { organizationId, id, name }, details);
  effect.change({ organizationId, kind: 'object_store', id });
}

function sealedPlace(id: string): string {
  return `object_store:${id}:sealed`;
}
