import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import type { objectStoreSchema } from '../api/object-stores/operations.ts';
import { defined } from '../domain/defined.ts';
import { errorCode, Refusal } from '../runtime/supervisor/refusal.ts';
import { deletion, yesOption } from './deleted.ts';
import { command, UsageError } from './engine/command.ts';
import { namedBy, secretOf } from './engine/given.ts';
import { listed, type Outcome } from './engine/outcome.ts';
import { Rest, restOptions } from './engine/rest.ts';
import { said } from './engine/table.ts';

type ObjectStore = z.output<typeof objectStoreSchema>;

const stores = '/object-stores';

/** The store of this id or name; names are no two's. */
export async function namedStore(rest: Rest, name: string): Promise<ObjectStore> {
  return namedBy(name, 'object store', await rest.all<ObjectStore>(stores), (one) => one.name);
}

function stateOf({ lastError, verifiedAt }: ObjectStore): string {
  if (lastError !== '') return 'failing';
  return verifiedAt === undefined ? 'not verified' : 'working';
}

/** The end of a command after which the store was asked. */
function verified(store: ObjectStore, done: string): Outcome {
  const json = { objectStore: store };
  if (store.lastError === '') return { json, text: done };
  const [fails, remedy] = [
    said`The object store ${store.name} fails: ${store.lastError}`,
    said`Correct it with \`./ballast store set ${store.name}\`, then try \`./ballast store verify ${store.name}\`.`,
  ];
  return { json, text: '', failure: new Refusal(`${fails} ${remedy}`) };
}

const connectionOptions = {
  endpoint: {
    type: 'string',
    value: 'URL',
    what: 'The address of the store, such as https://s3.eu-central-1.amazonaws.com.',
  },
  bucket: { type: 'string', value: 'BUCKET', what: 'The bucket.' },
  'access-key-id': { type: 'string', value: 'ID', what: 'The access key id.' },
  region: { type: 'string', value: 'REGION', what: 'The region; us-east-1 if left out.' },
  prefix: { type: 'string', value: 'PREFIX', what: 'The beginning of all keys in the bucket.' },
  addressing: {
    type: 'string',
    value: 'path|host',
    what: 'Where the bucket stands in addresses; path if left out, but for AWS.',
  },
  'ca-file': {
    type: 'string',
    value: 'FILE',
    what: 'Certificates (PEM) of the authority of a store that is not publicly trusted.',
  },
  'secret-stdin': { type: 'boolean', what: 'Read the secret access key from the standard input, at a terminal, too.' },
} as const;

interface GivenConnection {
  endpoint?: string | undefined;
  bucket?: string | undefined;
  'access-key-id'?: string | undefined;
  region?: string | undefined;
  prefix?: string | undefined;
  addressing?: string | undefined;
  'ca-file'?: string | undefined;
}

async function connectionOf(given: GivenConnection) {
  const { endpoint, bucket, region, prefix, addressing, 'access-key-id': accessKeyId, 'ca-file': file } = given;
  if (addressing !== undefined && addressing !== 'path' && addressing !== 'host') {
    throw new UsageError('Say --addressing path or --addressing host.');
  }
  return {
    ...{ endpoint, bucket, region, prefix, accessKeyId },
    forcePathStyle: addressing && addressing === 'path',
    certificateAuthority: file === undefined ? undefined : await readCertificates(file),
  };
}

async function readCertificates(file: string): Promise<string> {
  return await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`${file} cannot be read (${errorCode(error)}); name a file of certificates.`);
  });
}

export const storeAdd = command({
  summary: 'Adds an object store for backups',
  usage:
    '--name NAME --endpoint URL --bucket BUCKET --access-key-id ID [--region REGION] [--prefix PREFIX] [--addressing path|host] [--ca-file FILE] [--secret-stdin] [--json]',
  details: `The store is a bucket of S3. A probe is written there, read back, listed and deleted; the exit code is 1 when one of these fails.
The secret access key is read from the standard input, or asked for at a terminal; it is never an argument, which the history of a shell would keep.`,
  options: {
    name: { type: 'string', value: 'NAME', what: 'The name of the store.' },
    ...connectionOptions,
    ...restOptions,
  },
  run: async ({ name, 'secret-stdin': fromInput, ...given }) => {
    const connection = await connectionOf(given);
    const { endpoint, bucket, accessKeyId } = connection;
    if ([name, endpoint, bucket, accessKeyId].includes(undefined)) {
      throw new UsageError('Say all of --name NAME, --endpoint URL, --bucket BUCKET and --access-key-id ID.');
    }
    const rest = new Rest(given);
    const secretAccessKey = await secretOf('Secret access key: ', fromInput);
    if (secretAccessKey === '') throw new UsageError('There is no secret access key: give it by the standard input.');
    const store = await rest.call<ObjectStore>('POST', stores, { name, ...connection, secretAccessKey });
    return verified(store, said`The object store ${store.name} is added and works: ${store.id}.`);
  },
});

export const storeList = command({
  summary: 'Lists the object stores for backups',
  usage: '[--json]',
  options: restOptions,
  run: async (given) => {
    const all = await new Rest(given).all<ObjectStore>(stores);
    const none = 'There is no object store yet; see `./ballast store add --help`.';
    return listed({ objectStores: all }, none, {
      name: 'name',
      bucket: ({ bucket, prefix }) => (prefix === '' ? bucket : `${bucket}/${prefix}`),
      endpoint: 'endpoint',
      state: stateOf,
      reason: 'lastError',
      id: 'id',
    });
  },
});

export const storeVerify = command({
  summary: 'Writes, reads, lists and deletes a probe in an object store',
  usage: 'STORE [--json]',
  details: 'STORE is its name or its id. The exit code is 1 when one of the steps fails.',
  options: restOptions,
  run: async (given, [word = '']) => {
    const rest = new Rest(given);
    const { id } = await namedStore(rest, word);
    const store = await rest.call<ObjectStore>('POST', `${stores}/${id}/verify`);
    return verified(store, said`The object store ${store.name} works.`);
  },
});

export const storeSet = command({
  summary: 'Changes an object store',
  usage:
    'STORE [--name NAME] [--endpoint URL] [--bucket BUCKET] [--access-key-id ID] [--region REGION] [--prefix PREFIX] [--addressing path|host] [--ca-file FILE] [--secret-stdin] [--json]',
  details: `STORE is its name or its id. With another endpoint, bucket or access key id the secret access key is asked for again. Unless the name
alone is changed, the store is verified; the exit code is 1 when that fails.`,
  options: { name: { type: 'string', value: 'NAME', what: 'Another name.' }, ...connectionOptions, ...restOptions },
  run: async ({ name, 'secret-stdin': fromInput, ...given }, [word = '']) => {
    const rest = new Rest(given);
    const { id } = await namedStore(rest, word);
    const wanted = { name, ...(await connectionOf(given)) };
    const { endpoint, bucket, accessKeyId } = wanted;
    const elsewhere = [endpoint, bucket, accessKeyId].some((value) => value !== undefined);
    if (!fromInput && Object.keys(defined(wanted)).length === 0) {
      throw new UsageError('Say what is to be changed: see `./ballast store set --help`.');
    }
    const secret = elsewhere || fromInput ? await secretOf('Secret access key: ', fromInput) : undefined;
    if (secret === '') throw new UsageError('There is no secret access key: give it by the standard input.');
    const store = await rest.call<ObjectStore>('PATCH', `${stores}/${id}`, { ...wanted, secretAccessKey: secret });
    const asked = secret !== undefined || Object.keys(defined(wanted)).some((field) => field !== 'name');
    return verified(store, said`The object store ${store.name} is changed${asked ? ', and works' : ''}.`);
  },
});

export const storeRemove = command({
  summary: 'Deletes an object store',
  usage: 'STORE [--yes] [--json]',
  details:
    'STORE is its name or its id. Nothing in the bucket is deleted. Its secret access key is erased here; revoke it at the store, too.',
  options: { ...yesOption(), ...restOptions },
  run: async ({ yes, ...given }, [word = '']) => {
    const rest = new Rest(given);
    const { id, name, endpoint, bucket } = await namedStore(rest, word);
    const thing = { noun: 'object store', called: `${name} (${bucket} at ${endpoint})`, name };
    return await deletion(rest, { ...thing, path: `${stores}/${id}`, yes, deleted: { id, name } });
  },
});
