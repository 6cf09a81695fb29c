import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RegistryRefusal } from '../../agent/images/push/registry-way.ts';
import { RepositoryClient } from '../../agent/images/push/repository-client.ts';
import { RestRefusal } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { tokenWay } from '../image/registry-way.ts';
import { Changed, type MissingFile, type OnSent } from './missing-file.ts';
import { packsOf } from './packs.ts';
import { pushPack } from './push-pack.ts';

const blobsAtOnce = 8;
/** Each has megabytes, and the registry reads and writes files for it. */
const packsAtOnce = 4;
/** Parts of that size carry what is larger: a proxy in front may take no larger bodies. */
export const partBytes = 8 * 1024 * 1024;

interface Pushing {
  onSent?: OnSent;
  signal?: AbortSignal | undefined;
}

/** Pushes the blobs that the source needs into the repository, several requests at once. The first that fails ends the others. */
export async function pushBlobs(
  place: { url: string; token: string; repository: string },
  { folder, sourceId, files }: { folder: string; sourceId: string; files: readonly MissingFile[] },
  { onSent = () => undefined, signal }: Pushing = {},
): Promise<void> {
  const failed = new AbortController();
  const stopping = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
  const client = new RepositoryClient(tokenWay(place, stopping), place.repository, stopping);
  const { packs, alone } = packsOf(files);
  const takesPacks = packs.length > 0 && (await client.takesPacks(sourceId));
  const left = [
    ...(takesPacks ? packs : []).map((pack) => () => pushPack(client, sourceId, folder, pack, onSent)),
    ...(takesPacks ? alone : files).map(
      (file) => () => push(client, folder, file, (sent) => onSent([file], () => sent)),
    ),
  ];
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      await next().catch((error: unknown) => {
        left.length = 0;
        failed.abort();
        throw error;
      });
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: takesPacks ? packsAtOnce : blobsAtOnce }, worker));
  // The others ended because of it, or because of Ctrl-C.
  const reasons = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
  if (reasons.length > 0) throw reasons.find(isRefusal) ?? reasons[0];
}

async function push(
  client: RepositoryClient,
  folder: string,
  { path, target, size, digest }: MissingFile,
  sent: (bytes: number) => void,
): Promise<void> {
  const place = join(folder, path);
  try {
    if (target !== undefined) await client.putBlob(() => Buffer.from(target), { digest, size });
    else if ((await stat(place).catch(() => undefined))?.size !== size) throw new Changed(path);
    else if (size <= partBytes) {
      await client.putBlob(() => (size === 0 ? Buffer.alloc(0) : createReadStream(place, { end: size - 1 })), {
        digest,
        size,
      });
    } else {
      await client.pushBlob(place, { digest, size }, ({ sent: so }) => sent(Math.min(so, size - 1)), partBytes);
    }
    sent(size);
  } catch (error) {
    if (!isRefusal(error) || error instanceof Changed) throw error;
    // The registry has read another content than was hashed.
    if (error instanceof RegistryRefusal && error.code === 'DIGEST_INVALID') throw new Changed(path);
    throw new RestRefusal(`${printable(path)} could not be uploaded: ${error.message}`, error.status);
  }
}

function isRefusal(error: unknown): error is RestRefusal | RegistryRefusal {
  return error instanceof RestRefusal || error instanceof RegistryRefusal;
}
