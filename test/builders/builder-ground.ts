import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { type BuildSettings, builderImage } from '../../agent/builders/build-settings.ts';
import { Builders } from '../../agent/builders/builders.ts';
import type { RunResult } from '../../agent/commands/run.ts';
import { Client } from '../../agent/link/client.ts';
import type { BuildBody, BuildProgress } from '../../protocol/build.ts';
import type { Credential } from '../installation/running-api.ts';
import { tokenOf } from '../registry/registry-world.ts';

export type Files = Readonly<Record<string, string | Buffer>>;

export interface Built {
  result: RunResult;
  log: string;
  progress: BuildProgress[];
  digest: string | undefined;
}

export interface Asked {
  body?: Partial<BuildBody>;
  signal?: AbortSignal;
  /** Called with each piece of the log as it comes. */
  onLog?(text: string): void;
}

/** Where images are pushed to: the registry of an API, in a repository, by a deployer. */
export interface PushedTo {
  api: { url: string };
  repository: { path: string };
  organization: { tokens: { deployer: Credential } };
}

/** An agent's builders, with the registry of a real API, and a source that is served as the API does. */
export interface BuilderGround {
  home: string;
  /** Of the front: the registry, and the sources of builds. */
  url: string;
  builders: Builders;
  body(more?: Partial<BuildBody>): BuildBody;
  /** Has this tar as its source. */
  serve(id: string, source: Buffer): void;
  build(source: Files | Buffer, asked?: Asked): Promise<Built>;
  /** Remains of builds. */
  left(): string[];
  close(): Promise<void>;
}

export const settings: BuildSettings = {
  ...{ environment: {}, allowedRanges: [], cacheBytes: 2 ** 30, baseImages: {} },
  limits: { memoryBytes: 2 ** 31, diskBytes: 2 ** 33, seconds: 3_600 },
  builderImage,
};

export async function builderGround(
  world: PushedTo,
  more: Partial<BuildSettings> = {},
  /** The socket of an engine: then it builds. */
  socket?: string,
): Promise<BuilderGround> {
  const home = mkdtempSync(join(tmpdir(), 'ballast-builder-'));
  const sources = new Map<string, Buffer>();
  const server = createServer((asked, answer) => front(world.api.url, sources, asked, answer));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new Client({ url, credential: () => tokenOf(world.organization.tokens.deployer) });
  const driver = socket === undefined ? 'process' : 'docker';
  const builders = new Builders({ home, client, driver, socket, settings: { ...settings, ...more } });
  const body = (other: Partial<BuildBody> = {}): BuildBody => ({
    ...{ kind: 'build', repository: world.repository.path, cacheKey: 'service/environment' },
    ...{ builder: 'auto', context: '', dockerfile: '', target: '', source: { kind: 'upload', sizeBytes: 0 } },
    limits: { seconds: 300, memoryBytes: 2 ** 31, diskBytes: 2 ** 31, processes: 500 },
    ...other,
  });
  return {
    ...{ home, url, builders, body },
    serve: (id, source) => void sources.set(id, source),
    async build(source, { body: other, signal = new AbortController().signal, onLog } = {}) {
      const id = randomUUID();
      sources.set(id, Buffer.isBuffer(source) ? source : await tarOf(source));
      let log = '';
      const progress: BuildProgress[] = [];
      const output = (stream: string, bytes: Buffer) => {
        if (stream === 'progress') progress.push(JSON.parse(bytes.toString()));
        else {
          log += bytes;
          onLog?.(bytes.toString());
        }
      };
      const run = { id, starts: 1, signal, output, began: () => {} };
      const result = await builders
        .build(body(other), run)
        .catch(
          (error: Error): RunResult => ({ outcome: signal.aborted ? 'cancelled' : 'failed', message: error.message }),
        );
      return { result, log, progress, digest: progress.findLast(({ image }) => image !== undefined)?.image?.digest };
    },
    left: () =>
      ['builds', 'sandboxes'].flatMap((name) => (existsSync(join(home, name)) ? readdirSync(join(home, name)) : [])),
    async close() {
      client.close();
      server.close();
      server.closeAllConnections();
      await rm(home, { recursive: true });
    },
  };
}

/** Everything but sources is asked of the API. */
function front(
  api: string,
  sources: ReadonlyMap<string, Buffer>,
  asked: IncomingMessage,
  answer: ServerResponse,
): void {
  const [, id] = /^\/agent\/v1\/builds\/([^/]+)\/source$/.exec(asked.url ?? '') ?? [];
  if (id !== undefined) {
    const source = sources.get(id);
    answer.writeHead(source === undefined ? 404 : 200, { 'content-type': 'application/x-tar' }).end(source);
    return;
  }
  const sent = request(new URL(asked.url ?? '', api), { method: asked.method ?? 'GET', headers: asked.headers });
  sent.on('response', (got) => {
    answer.writeHead(got.statusCode ?? 502, got.headers);
    got.pipe(answer);
  });
  sent.on('error', () => answer.destroy());
  asked.pipe(sent);
}

export async function tarOf(files: Files): Promise<Buffer> {
  const archive = pack();
  for (const [name, content] of Object.entries(files)) archive.entry({ name, mode: 0o644 }, content);
  archive.finalize();
  return await buffer(archive);
}
