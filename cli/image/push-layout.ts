import { rm, stat } from 'node:fs/promises';
import { request } from 'undici';
import { type PushedImage, pushLayout as push } from '../../agent/images/push/push-layout.ts';
import type { RegistryWay } from '../../agent/images/push/registry-way.ts';
import { type BlobProgress, RepositoryClient } from '../../agent/images/push/repository-client.ts';
import { UsageError } from '../engine/command.ts';
import { unpackArchive } from './docker-archive.ts';

/** The control plane's address, and an API token. */
export function tokenWay({ url, token }: { url: string; token: string }, signal?: AbortSignal): RegistryWay {
  return {
    host: new URL(url).host,
    async ask(method, path, { body, headers }) {
      const answer = await request(new URL(path, url), {
        method,
        headers: { authorization: `Bearer ${token}`, ...headers },
        body: body ?? null,
        // A slow line may take its time; a silent one is given up by the control plane.
        bodyTimeout: 0,
        headersTimeout: 0,
        ...(signal === undefined ? {} : { signal }),
      });
      return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
    },
  };
}

interface PushTarget {
  /** The control plane's address. */
  url: string;
  /** `<organization>/<project>/<service>`, by their slugs. */
  repository: string;
  /** An API token. */
  token: string;
  /** Absent: it is known by its digest alone. */
  tag?: string | undefined;
}

interface Pushing {
  /** Told of each blob as it goes: `reused` if the registry had it already. */
  onBlob?: (progress: BlobProgress) => void;
  signal?: AbortSignal | undefined;
}

/**
 * Pushes an image into a repository: of an image layout, as `ballast image build` writes it, or of an archive, as `docker save` does.
 * A layout of several images is pushed as the list that it is. Blobs that are there are passed over, and one whose
 * connection breaks goes on where it stood, so pushing again costs what is missing.
 */
export async function pushLayout(source: string, target: PushTarget, pushing: Pushing = {}): Promise<PushedImage> {
  const { repository, tag } = target;
  const { onBlob, signal } = pushing;
  const found = await stat(source).catch(() => undefined);
  if (found === undefined) throw new UsageError(`${source} is not there; name an image layout or an archive of one.`);
  const client = new RepositoryClient(tokenWay(target, signal), repository, signal);
  if (found.isDirectory()) return await push(source, client, tag, onBlob);
  const directory = await unpackArchive(source, signal);
  try {
    return await push(directory, client, tag, onBlob);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
