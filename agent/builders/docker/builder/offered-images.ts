import { createHash } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { writeFileAtomically } from '../../../../machine/files.ts';
import type { Engine } from '../../../drivers/docker/engine.ts';
import { exportedImage } from '../image/exported-image.ts';
import { savedImage } from './engine-images.ts';
import { imagesPort } from './way-out.ts';

const prefix = 'engine';
const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const types = { config: 'application/vnd.oci.image.config.v1+json', layer: 'application/vnd.oci.image.layer.v1.tar' };
/** Names that the driver gives to images that it has loaded for instances. */
const ofServices = /^ballast\/[0-9a-f]{64}:/;
const ours = new RegExp(
  `127\\.0\\.0\\.1:${imagesPort}/${prefix}/([0-9a-f]{64})(?::latest)?(?:@sha256:[0-9a-f]{64})?`,
  'g',
);
const longest = 1_800_000;
const mostBytes = 64 * 1024 ** 3;

/**
 * The images that an engine has, as base images of its builders: a registry that is read within their network. Each is
 * exported when it is asked for the first time.
 */
export class OfferedImages {
  readonly #engine: Engine;
  readonly #folder: string;
  readonly #exporting = new Map<string, Promise<string>>();
  /** Names of the images that a build was told of, by their ids. */
  #known = new Map<string, string>();

  constructor(engine: Engine, folder: string) {
    this.#engine = engine;
    this.#folder = folder;
  }

  /** Addresses to read instead of each name that the engine has an image of. Those of services are not among them. */
  async instead(): Promise<Record<string, string>> {
    const images = await this.#engine.ask((docker) => docker.listImages());
    const named = images.flatMap(({ Id, RepoTags }) => (RepoTags ?? []).map((tag) => ({ tag, hex: Id.slice(7) })));
    const offered = named.filter(({ tag }) => tag !== '<none>:<none>' && !ofServices.test(tag));
    this.#known = new Map(offered.map(({ tag, hex }) => [hex, tag]));
    this.#forget();
    const source = (name: string) => `docker-image://${name}`;
    return Object.fromEntries(
      offered.map(({ tag, hex }) => [
        source(wholeName(tag)),
        source(`127.0.0.1:${imagesPort}/${prefix}/${hex}:latest`),
      ]),
    );
  }

  /** A text of BuildKit, with the engine's names of these images. */
  plain = (text: string): string => text.replace(ours, (found, hex: string) => this.#known.get(hex) ?? found);

  answer = (asked: IncomingMessage, answer: ServerResponse): void => {
    this.#answer(asked, answer).catch(() => {
      if (answer.headersSent) answer.destroy();
      else answer.writeHead(500).end();
    });
  };

  /** Copies of images that the engine does not have any more. */
  #forget(): void {
    for (const hex of existsSync(this.#folder) ? readdirSync(this.#folder) : [])
      if (!this.#known.has(hex) && !this.#exporting.has(hex))
        rmSync(join(this.#folder, hex), { recursive: true, force: true });
  }

  async #answer(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const path = new URL(asked.url ?? '/', 'http://engine').pathname;
    if (path === '/v2/') return void answer.writeHead(200).end();
    const [, hex = '', kind, digest = ''] =
      /^\/v2\/engine\/([0-9a-f]{64})\/(manifests|blobs)\/([\w.:-]+)$/.exec(path) ?? [];
    if (!this.#known.has(hex) || (asked.method !== 'GET' && asked.method !== 'HEAD'))
      return void answer.writeHead(404).end();
    const manifest = await this.#export(hex);
    const name = digest === 'latest' ? manifest : /^sha256:[0-9a-f]{64}$/.test(digest) ? digest.slice(7) : '';
    const file = join(this.#folder, hex, name);
    if (name === '' || !existsSync(file)) return void answer.writeHead(404).end();
    answer.writeHead(200, {
      'content-type': kind === 'manifests' ? manifestType : 'application/octet-stream',
      'content-length': statSync(file).size,
      'docker-content-digest': `sha256:${name}`,
    });
    if (asked.method === 'HEAD') return void answer.end();
    await pipeline(createReadStream(file), answer);
  }

  /** Answers the name of the manifest. */
  async #export(hex: string): Promise<string> {
    const begun = this.#exporting.get(hex);
    if (begun !== undefined) return await begun;
    const exporting = exported(this.#engine, hex, this.#folder);
    this.#exporting.set(hex, exporting);
    return await exporting.finally(() => this.#exporting.delete(hex));
  }
}

async function exported(engine: Engine, hex: string, folder: string): Promise<string> {
  const index = join(folder, hex, 'manifest');
  if (existsSync(index)) return readFileSync(index, 'utf8');
  const place = join(folder, hex);
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true, mode: 0o700 });
  const signal = AbortSignal.timeout(longest);
  const { layers, config } = await exportedImage(
    await savedImage(engine, `sha256:${hex}`, signal),
    place,
    mostBytes,
    signal,
  );
  const kept = new Map<string, { digest: string; size: number }>();
  for (const path of new Set(layers)) kept.set(path, await named(place, path));
  const blobs = layers.flatMap((path) => kept.get(path) ?? []);
  const rootfs = { type: 'layers', diff_ids: blobs.map(({ digest }) => digest) };
  const put = (document: object) => {
    const text = JSON.stringify(document);
    const sum = createHash('sha256').update(text).digest('hex');
    writeFileAtomically(join(place, sum), text);
    return { digest: `sha256:${sum}`, size: Buffer.byteLength(text) };
  };
  const manifest = put({
    ...{ schemaVersion: 2, mediaType: manifestType },
    config: { mediaType: types.config, ...put({ ...config, rootfs }) },
    layers: blobs.map((blob) => ({ mediaType: types.layer, ...blob })),
  });
  writeFileAtomically(index, manifest.digest.slice(7));
  return manifest.digest.slice(7);
}

/** A layer by its digest. */
async function named(folder: string, path: string): Promise<{ digest: string; size: number }> {
  const sum = createHash('sha256');
  await pipeline(createReadStream(path), sum);
  const hex = sum.digest('hex');
  renameSync(path, join(folder, hex));
  return { digest: `sha256:${hex}`, size: statSync(join(folder, hex)).size };
}

/** `node:24` is `docker.io/library/node:24`. */
export function wholeName(tag: string): string {
  const [first = '', ...rest] = tag.split('/');
  if (rest.length === 0) return `docker.io/library/${tag}`;
  return /[.:]/.test(first) || first === 'localhost' ? tag : `docker.io/${tag}`;
}
