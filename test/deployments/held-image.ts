import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blobOf, startAnswering } from '../images/registry.ts';
import { sampleLayout } from '../images/sample-image.ts';

/** An image whose name and configuration can be read, and whose content does not arrive before it is let go. */
export interface HeldImage {
  /** As a service's source names it. */
  reference: string;
  arrive(): void;
}

interface Image {
  layout: string;
  digest: string;
  held: boolean;
  /** Blobs that only this image has: its configuration and its last layer. */
  own: Set<string>;
  layer: string;
}

/** A registry of the test's own with the sample application, and with versions of it that are held back. */
export async function heldImages() {
  const directory = mkdtempSync(join(tmpdir(), 'ballast-held-'));
  const images = new Map<string, Image>();
  const waiting: { image: Image; answer: () => void }[] = [];
  const add = async (tag: string, held: boolean): Promise<Image> => {
    const { layout, digest } = await sampleLayout(join(directory, tag), { version: tag });
    const { config, layers } = JSON.parse(blobOf(layout, digest).toString());
    const layer: string = layers.at(-1).digest;
    const image = { layout, digest, held, layer, own: new Set<string>([config.digest, layer]) };
    images.set(tag, image);
    return image;
  };
  const named = (reference: string) =>
    images.get(reference) ?? [...images.values()].find(({ digest }) => digest === reference);

  function answer({ method, url = '' }: IncomingMessage, response: ServerResponse): unknown {
    const [, kind, reference = ''] = /^\/v2\/app\/(manifests|blobs)\/(.+)$/.exec(url) ?? [];
    if (kind === undefined) return response.writeHead(url === '/v2/' ? 200 : 404).end();
    const send = (image: Image, digest: string, type: string) => {
      const bytes = blobOf(image.layout, digest);
      response.writeHead(200, {
        'content-type': type,
        'content-length': bytes.length,
        'docker-content-digest': digest,
      });
      return response.end(method === 'HEAD' ? undefined : bytes);
    };
    const image = kind === 'manifests' ? named(reference) : ownerOf(reference);
    if (image === undefined) return response.writeHead(404).end();
    if (kind === 'manifests') return send(image, image.digest, 'application/vnd.oci.image.manifest.v1+json');
    const blob = () => send(image, reference, 'application/octet-stream');
    // Its configuration arrives: it is looked at before the image is deployed.
    return image.held && reference === image.layer ? waiting.push({ image, answer: blob }) : blob();
  }

  /** The layer with the program is part of every image, so the first one has it. */
  function ownerOf(blob: string): Image | undefined {
    return [...images.values()].find(({ own }) => own.has(blob)) ?? images.get('1');
  }

  await add('1', false);
  const registry = await startAnswering(answer);
  const reference = (tag: string) => `${registry.host}/app:${tag}`;
  return {
    /** Of the version that is always there. */
    reference: reference('1'),
    async hold(tag: string): Promise<HeldImage> {
      const image = await add(tag, true);
      return {
        reference: reference(tag),
        arrive() {
          image.held = false;
          for (const one of waiting) if (one.image === image) one.answer();
        },
      };
    },
    async close() {
      await registry.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

export type HeldImages = Awaited<ReturnType<typeof heldImages>>;
