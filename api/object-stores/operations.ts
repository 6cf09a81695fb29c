import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { z } from 'zod';
import { refuseBeyond } from '../../db/engine/limits/quota.ts';
import {
  createObjectStore as create,
  findObjectStore,
  listObjectStores as list,
  lockObjectStore,
  noteVerification,
  deleteObjectStore as remove,
  type StoreConnection,
  secretAccessKeyOf,
  targetOf,
  updateObjectStore as update,
} from '../../db/object-stores/object-stores.ts';
import { defined } from '../../domain/defined.ts';
import { Problem } from '../../domain/problems.ts';
import { bucketName, keyPrefix } from '../../domain/settings/setting.ts';
import { OutboundRefused } from '../../outbound/failures.ts';
import { authoritiesFault, certificatesIn } from '../../outbound/rules.ts';
import { verifyBucket } from '../../outbound/s3/given-bucket.ts';
import { checkTarget } from '../../outbound/target.ts';
import { changedFields } from '../engine/input/changed-fields.ts';
import { invalidField } from '../engine/input/input.ts';
import { line, nameText } from '../engine/input/line.ts';
import { refuseChangedMeanwhile, withWas } from '../engine/input/meanwhile.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { resource } from '../engine/resource.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';

const theObjectStore = resource('object store', findObjectStore);

export const objectStoreSchema = z
  .object({
    id: z.guid(),
    organizationId: z.guid(),
    name: z.string(),
    endpoint: z.string(),
    region: z.string(),
    bucket: z.string(),
    prefix: z.string().describe('Before the key of each object, followed by a slash; empty for none.'),
    forcePathStyle: z.boolean().describe("Whether the bucket is in the path of addresses, not in the host's name."),
    accessKeyId: z.string(),
    certificateAuthority: z.string().describe('In PEM; empty where the store has a publicly trusted certificate.'),
    lastError: z.string().describe('Why the store failed when it was last verified or used; empty: it did not.'),
    verifiedAt: z.iso.datetime().optional().describe('When it last did all that it was asked.'),
    createdBy: z.string(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'ObjectStore' });

const printed = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .regex(/^[\x21-\x7e]+$/, { error: 'must be letters, digits and signs without spaces' });

const fields = {
  name: nameText(),
  endpoint: z
    .string()
    .trim()
    .max(500)
    .transform((text) => text.replace(/\/+$/, ''))
    .describe(
      '`https://s3.example.com`, without the bucket; `http://…` only where OUTBOUND_ALLOWED_RANGES has its address.',
    ),
  bucket: z.string().refine((text) => bucketName.parse(text) !== undefined, { error: `must be ${bucketName.form}` }),
  region: line(64).regex(/^[\w-]+$/, { error: 'must be a name such as eu-central-1' }),
  prefix: z
    .string()
    .transform((text) => text.replace(/^\/+|\/+$/g, ''))
    .refine((text) => text === '' || keyPrefix.parse(text) !== undefined, { error: `must be ${keyPrefix.form}` }),
  forcePathStyle: z.boolean().describe('By default true, but for AWS itself.'),
  certificateAuthority: z
    .string()
    .max(100_000)
    .transform((text, context) => {
      const found = certificatesIn(text);
      const fault = text.trim() === '' ? undefined : authoritiesFault(found);
      if (fault !== undefined) context.addIssue({ code: 'custom', message: `is a text ${fault}` });
      return found.join('\n');
    })
    .describe('In PEM, where it is not publicly trusted. Trusted for this store alone.'),
  accessKeyId: printed(200),
};
const secretAccessKey = printed(1_000)
  .meta({ writeOnly: true })
  .describe('Stored encrypted, used for this store alone and never answered.');

const createStore = operation({
  method: 'POST',
  url: '/api/v1/object-stores',
  summary: 'Create an object store for backups',
  description:
    'A bucket of S3. It is verified at once: a probe is written, read back, listed and deleted. `lastError` says what fails; the store is kept all the same.',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['conflict', 'quota-reached'],
  body: z.strictObject({
    ...fields,
    region: fields.region.default('us-east-1'),
    prefix: fields.prefix.default(''),
    forcePathStyle: fields.forcePathStyle.optional(),
    certificateAuthority: fields.certificateAuthority.default(''),
    secretAccessKey,
  }),
  ownEffect: true,
  status: 201,
  result: objectStoreSchema,
  async handle({ caller, body, server, once }) {
    const organizationId = caller.organization.id;
    const forcePathStyle = body.forcePathStyle ?? !/\.amazonaws\.com(\.cn)?$/.test(hostOf(body.endpoint, server));
    const store = { ...body, forcePathStyle };
    const lastError = await verify(store, body.secretAccessKey, server);
    return await once(async (effect) => {
      await refuseBeyond(effect, {
        setting: 'OBJECT_STORES_PER_ORGANIZATION',
        most: server.settings.OBJECT_STORES_PER_ORGANIZATION,
        owner: organizationId,
        things: 'object stores in this organization',
        rows: sql`object_store where organization_id = ${organizationId}`,
      });
      return await create(effect, server.keyring, organizationId, { ...store, lastError });
    });
  },
});

const deleteStore = operation({
  method: 'DELETE',
  url: '/api/v1/object-stores/{id}',
  summary: 'Delete an object store',
  description: 'Refused while a backup is kept in it. Nothing in the bucket is deleted.',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['conflict'],
  of: theObjectStore,
  async handle({ found: store, effect }) {
    await remove(effect, store);
  },
});

const getStore = operation({
  method: 'GET',
  url: '/api/v1/object-stores/{id}',
  summary: 'Get an object store',
  role: 'deployer',
  projectTokens: 'allowed',
  of: theObjectStore,
  result: objectStoreSchema,
  handle: async ({ found }) => found,
});

const listStores = operation({
  method: 'GET',
  url: '/api/v1/object-stores',
  summary: 'List the object stores, oldest first',
  role: 'deployer',
  projectTokens: 'allowed',
  paged: { after: createdPosition },
  result: objectStoreSchema,
  async handle({ caller, page, database }) {
    return pageOf(await list(database.kysely, caller.organization.id, oneMore(page)), page);
  },
});

/** A secret is used nowhere else than its owner said. */
const ofSecret = ['endpoint', 'bucket', 'accessKeyId'] as const;

const updateStore = operation({
  method: 'PATCH',
  url: '/api/v1/object-stores/{id}',
  summary: 'Change an object store',
  description:
    'Another endpoint, bucket or access key id needs `secretAccessKey` as well. Unless the name alone is changed, the store is verified.',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['conflict', 'changed-meanwhile'],
  of: theObjectStore,
  body: withWas(z.strictObject(fields).partial()).extend({ secretAccessKey: secretAccessKey.optional() }),
  ownEffect: true,
  result: objectStoreSchema,
  async handle({ found, caller, body, database, server, once }) {
    const { was, secretAccessKey: given, ...sent } = body;
    const wanted = defined(sent);
    const [before, after] = [connectionOf(found), connectionOf({ ...found, ...wanted })];
    hostOf(after.endpoint, server);
    if (given === undefined && ofSecret.some((field) => before[field] !== after[field])) {
      const message = 'must be given again with another endpoint, bucket or access key id';
      throw invalidField('body.secretAccessKey', message);
    }
    const asks = given !== undefined || !isDeepStrictEqual(before, after);
    const secret = given ?? (asks ? await secretAccessKeyOf(database.kysely, server.keyring, found) : undefined);
    const lastError = asks ? await verify(after, secret ?? '', server) : undefined;
    return await once(async (effect) => {
      const { organizationId, id } = found;
      const locked = await lockObjectStore(effect, organizationId, id);
      if (locked === undefined) return await caller.see(theObjectStore, id, effect.kysely);
      const subject = { organizationId, kind: 'object_store', id };
      await refuseChangedMeanwhile(effect.kysely, subject, { is: locked, was, wanted });
      if (asks && !isDeepStrictEqual(connectionOf(locked), before)) {
        throw new Problem(
          'changed-meanwhile',
          'The store was changed while it was verified: look again, then change it.',
        );
      }
      const next = { name: locked.name, ...connectionOf(locked), ...wanted };
      const details = {
        ...changedFields({ name: locked.name, ...connectionOf(locked) }, next),
        ...(given === undefined ? {} : { secretAccessKey: 'replaced' }),
      };
      const verified = lastError === undefined ? {} : { lastError };
      const secretOf = given === undefined ? {} : { secretAccessKey: given };
      return await update(effect, server.keyring, locked, { ...next, ...secretOf, ...verified }, details);
    });
  },
});

const verifyStore = operation({
  method: 'POST',
  url: '/api/v1/object-stores/{id}/verify',
  summary: 'Verify an object store',
  description:
    'Writes a probe beneath the prefix, reads it back, lists and deletes it. `lastError` says which step failed, and why.',
  role: 'admin',
  projectTokens: 'refused',
  of: theObjectStore,
  ownEffect: true,
  result: objectStoreSchema,
  async handle({ found, caller, database, server, once }) {
    const secret = await secretAccessKeyOf(database.kysely, server.keyring, found);
    const lastError = await verify(found, secret ?? '', server);
    return await once(async (effect) => {
      const store = await caller.see(theObjectStore, found.id, effect.kysely);
      // One that was changed meanwhile was verified by that change.
      if (!isDeepStrictEqual(connectionOf(store), connectionOf(found))) return store;
      return await noteVerification(effect, store, lastError);
    });
  },
});

export const objectStores = {
  list: listStores,
  create: createStore,
  get: getStore,
  update: updateStore,
  delete: deleteStore,
  verify: verifyStore,
};

function connectionOf(store: StoreConnection): StoreConnection {
  const { endpoint, region, bucket, prefix, forcePathStyle, accessKeyId, certificateAuthority } = store;
  return { endpoint, region, bucket, prefix, forcePathStyle, accessKeyId, certificateAuthority };
}

/** Of an endpoint that may be asked. */
function hostOf(endpoint: string, { outbound }: ServerParts): string {
  try {
    const { hostname, search, hash } = checkTarget(endpoint, outbound);
    if (search === '' && hash === '') return hostname;
  } catch (error) {
    if (!(error instanceof OutboundRefused)) throw error;
    throw invalidField('body.endpoint', `cannot be used: ${error.message}`, endpoint);
  }
  throw invalidField('body.endpoint', 'must be an address such as https://s3.example.com', endpoint);
}

const trustedBy =
  'give the certificate of that authority with the store, or the owner of the installation adds it to OUTBOUND_CA_FILE';

async function verify(store: StoreConnection, secretAccessKey: string, { outbound }: ServerParts): Promise<string> {
  const { allowedRanges, certificateAuthorities, ...target } = targetOf(store, secretAccessKey, outbound);
  return await verifyBucket(target, { ...outbound, allowedRanges, certificateAuthorities, trustedBy });
}
