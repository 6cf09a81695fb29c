import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ImageStore } from '../../agent/images/image-store.ts';
import { Refusal } from '../../agent/program/refusal.ts';
import { digestOf, handMadeLayout } from './hand-made-image.ts';
import { blobOf, startAnswering } from './registry.ts';

type Image = Awaited<ReturnType<typeof handMadeLayout>>;

/** The bench that pulling is tested on: an image with a large layer, registries that have it, a store that asks. */
export class RegistryBench {
  readonly image: Image;
  /** The large one. */
  readonly layer: Buffer;
  /** Ends of what the present test has started. */
  readonly stops: (() => Promise<void>)[] = [];
  home = '';

  private constructor(image: Image) {
    this.image = image;
    this.layer = blobOf(image.layout, JSON.parse(blobOf(image.layout, image.digest).toString()).layers[0].digest);
  }

  static async begun(): Promise<RegistryBench> {
    // Random, so that it stays large when it is compressed.
    const content = Array.from({ length: 30_000 }, (_, at) => digestOf(Buffer.from(String(at)))).join();
    const layers = [[{ name: 'run', content }], [{ name: 'second', content: 'small' }]];
    return new RegistryBench(await handMadeLayout(layers));
  }

  close(): void {
    rmSync(this.image.layout, { recursive: true });
  }

  /** A store in a home of its own, for one test. */
  open(): ImageStore {
    this.home = mkdtempSync(join(tmpdir(), 'ballast-images-'));
    return this.newStore();
  }

  async clear(): Promise<void> {
    for (const stop of this.stops.splice(0)) await stop();
    rmSync(this.home, { recursive: true });
  }

  /** Another store in the same home, as after a restart. */
  newStore(): ImageStore {
    return new ImageStore(this.home, { limitBytes: 1e9, maxImageBytes: 5_000_000 });
  }

  drafts(): string[] {
    return readdirSync(join(this.home, 'drafts'));
  }

  /** A registry that has the image in every repository, but for what the test answers itself. */
  async answering(own: (request: IncomingMessage, response: ServerResponse) => boolean = () => false) {
    const { image } = this;
    const server = await startAnswering((request, response) => {
      if (own(request, response)) return;
      const reference = /\/(?:blobs|manifests)\/(.+)$/.exec(request.url ?? '')?.[1] ?? '';
      const digest = reference === 'v1' ? image.digest : reference;
      if (!existsSync(join(image.layout, 'blobs', digest.replace(':', '/')))) return void response.writeHead(404).end();
      const begins = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
      const bytes = blobOf(image.layout, digest);
      if (begins > 0)
        response.writeHead(206, { 'content-range': `bytes ${begins}-${bytes.length - 1}/${bytes.length}` });
      response.end(bytes.subarray(begins));
    });
    this.stops.push(server.stop);
    return server;
  }

  async refusal(work: Promise<unknown>): Promise<string> {
    const error = await work.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Refusal);
    expect(this.drafts()).toEqual([]);
    return String(error);
  }

  isLayer(request: IncomingMessage): boolean {
    return request.url?.endsWith(digestOf(this.layer)) === true;
  }
}
