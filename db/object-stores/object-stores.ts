import { type Kysely, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { Problem } from '../../domain/problems.ts';
import type { StoreTarget } from '../../protocol/volume.ts';
import type { Effect } from '../engine/effect.ts';
import type { Keyring } from '../keys/keys.ts';
import { uniqueViolation } from '../postgres/connection-failure.ts';
import type { JsonObject } from '../postgres/json.ts';
import { type Page, pageOf } from '../postgres/page-of.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';

/** The way to a bucket, but for the secret. */
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
  tenant(kysely, organizationId).selectFrom('object_store').select(columns).where('deleted_at', 'is', null);

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

/** Refused while something is kept in it. */
export async function deleteObjectStore(effect: Effect, store: ObjectStoreView): Promise<void> {
  const { id, organizationId, name } = store;
  await refuseInUse(effect, store);
  await tenant(effect.kysely, organizationId)
    .updateTable('object_store')
    .set({ deleted_at: sql<Date>`now()`, sealed: Buffer.from('') })
    .where('id', '=', id)
    .execute();
  record(effect, { ...store, name }, 'deleted');
}

async function refuseInUse({ kysely }: Effect, { id, organizationId, name }: ObjectStoreView): Promise<void> {
  const { rows } = await sql<{ of: string; backups: number }>`
    select concat(volume_name, ' (', service_name, ', ', environment_name, ')') as of, count(*)::int as backups
    from volume_backup
    where organization_id = ${organizationId} and object_store_id = ${id} and deleted_at is null
      and state not in ('failed', 'cancelled')
    group by 1 order by 2 desc, 1
  `.execute(kysely);
  if (rows.length === 0) return;
  const backups = rows.reduce((sum, row) => sum + row.backups, 0);
  const of = `${rows
    .slice(0, 3)
    .map((row) => row.of)
    .join(', ')}${rows.length > 3 ? ' and others' : ''}`;
  throw new Problem(
    'conflict',
    `The object store "${name}" keeps ${backups} ${backups === 1 ? 'backup' : 'backups'} of ${of}: delete ${backups === 1 ? 'it' : 'them'} first.`,
  );
}

/** Writes the end of a verification: the reason of its failure, or an empty text. */
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

/** The way to the bucket, for whoever asks it. `rules`: of the installation, for addresses that users give. */
export async function storeTargetOf(
  kysely: Kysely<Tables>,
  keyring: Pick<Keyring, 'decryptSecret'>,
  { id, organizationId }: Pick<ObjectStoreView, 'id' | 'organizationId'>,
  rules: AddressRules,
): Promise<StoreTarget> {
  const store = await findObjectStore(kysely, organizationId, id);
  const secretAccessKey = store && (await secretAccessKeyOf(kysely, keyring, store));
  if (store === undefined || secretAccessKey === undefined) throw new Error(`The object store ${id} is not there.`);
  return targetOf(store, secretAccessKey, rules);
}

/** The same of a connection that is not in a row yet. */
export function targetOf(store: StoreConnection, secretAccessKey: string, rules: AddressRules): StoreTarget {
  const { endpoint, region, bucket, prefix, forcePathStyle, accessKeyId, certificateAuthority } = store;
  return {
    ...{ endpoint, region, bucket, accessKeyId, secretAccessKey, pathStyle: forcePathStyle },
    prefix: prefix === '' ? '' : `${prefix}/`,
    allowedRanges: [...rules.allowedRanges],
    certificateAuthorities: `${rules.certificateAuthorities ?? ''}\n${certificateAuthority}`.trim(),
  };
}

interface AddressRules {
  allowedRanges: readonly string[];
  certificateAuthorities?: string | undefined;
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
