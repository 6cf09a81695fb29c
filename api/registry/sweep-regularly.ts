import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Kysely } from 'kysely';
import type { Tables } from '../../db/postgres/tables.ts';
import { forgetUnknownBlob, sweepRegistry, unknownBlobs, unknownDrafts } from '../../db/registry/sweep-registry.ts';
import type { RegistryParts } from './registry-route.ts';
import type { BlobStore } from './storage/blob-store.ts';

const everyMillis = 3_600_000;

/** Where the blobs can be reached: a worker may be on another machine than the files. Two processes that sweep at once delete nothing twice. */
export function sweepRegularly(app: FastifyInstance, { server, store }: RegistryParts): void {
  const stop = new AbortController();
  let running: Promise<void> | undefined;
  app.addHook('onReady', async () => {
    running = sweepUntil(stop.signal);
  });
  app.addHook('onClose', async () => {
    stop.abort();
    await running;
  });

  async function sweepUntil(signal: AbortSignal): Promise<void> {
    for (;;) {
      // Not at a start, when there is enough to do, and not all processes at the same moment.
      await pause(everyMillis * (0.5 + Math.random()), undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      await sweep(server.database.kysely, store, signal).catch((error: unknown) => {
        server.log.warn({ err: error }, 'The registry could not be swept');
      });
    }
  }
}

export async function sweep(kysely: Kysely<Tables>, store: BlobStore, signal?: AbortSignal): Promise<void> {
  await sweepRegistry(kysely, {
    onDraft: (draft) => store.deleteDraft(draft),
    onBlob: (digest) => store.deleteBlob(digest),
    signal,
  });
  for (const draft of await unknownDrafts(kysely, await store.oldDrafts())) await store.deleteDraft(draft);
  for await (const digests of store.oldBlobs()) {
    if (signal?.aborted) return;
    for (const digest of await unknownBlobs(kysely, digests)) {
      await forgetUnknownBlob(kysely, digest, (one) => store.deleteBlob(one));
    }
  }
  await store.sweepRemains(signal);
}
