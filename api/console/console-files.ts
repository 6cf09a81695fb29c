import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { reservedSlugs, slugPattern } from '../../domain/slug.ts';

/** Which of these encodings a browser takes, the first of ours that it does; `Accept-Encoding` as in RFC 9110, 12.5.3. */
export function acceptedEncoding<Name extends string>(header: string, ours: readonly Name[]): Name | undefined {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    weights.set(name, weight === undefined ? 1 : Number(weight) || 0);
  }
  return ours.find((name) => (weights.get(name) ?? weights.get('*') ?? 0) > 0);
}

const reserved = [...reservedSlugs].join('|');
/** As `slugPattern`, in a form that the router takes for safe. */
const organization = `:organization(^(?!(?:${reserved})$)[a-z0-9][a-z0-9-]*$)`;

/** Where the console's pages are. All of them are one document; what it shows follows from the address. */
export const consolePaths = [
  '/',
  '/account',
  '/new-organization',
  '/deleted-organizations',
  `/${organization}`,
  `/${organization}/*`,
];

/** The API does not start with an address that an organization could be called like. */
export function reserveAddresses(app: FastifyInstance): void {
  app.addHook('onRoute', ({ url }) => {
    const first = url.split('/')[1] ?? '';
    if (slugPattern.test(first) && !reservedSlugs.has(first)) {
      throw new Error(`${url} could be an organization's address: name "${first}" in domain/slug.ts.`);
    }
  });
}

declare module '../engine/server/server-parts.ts' {
  interface ServerParts {
    /** The console as it is served to browsers. */
    readonly consoleFiles: ConsoleFiles;
  }
}

export interface ConsoleFile {
  type: string;
  bytes: Buffer;
  /** The same bytes, compressed when the console was built. */
  encoded: { br?: Buffer; gzip?: Buffer };
}

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
const againMillis = 10_000;

/** The built console, in memory: a megabyte. Only what is in this list is served, so no path leads anywhere else. */
export class ConsoleFiles {
  #files = new Map<string, ConsoleFile>();

  /** The page that all addresses of the console begin with; none until it is built. */
  get index(): string | undefined {
    return this.#files.get('index.html')?.bytes.toString('utf8');
  }

  find(name: string): ConsoleFile | undefined {
    return this.#files.get(name);
  }

  load(directory: string): void {
    const files = new Map(
      readdirSync(directory, { recursive: true, encoding: 'utf8' })
        .filter((name) => extname(name) in types)
        .map((name): [string, ConsoleFile] => [name, fileAt(join(directory, name))]),
    );
    if (!files.has('index.html')) throw new Error(`${directory} holds no console.`);
    this.#files = files;
  }

  /** Has it built and loads it. Building is tried until it succeeds: the disk may have been full. */
  async prepare(build: () => Promise<string>, log: Logger, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        this.load(await build());
        log.info({ files: this.#files.size }, 'Console loaded');
        return;
      } catch (error) {
        if (signal.aborted) return;
        log.error({ err: error }, 'The console cannot be built; trying again');
        await pause(againMillis, undefined, { signal }).catch(() => undefined);
      }
    }
  }
}

function fileAt(path: string): ConsoleFile {
  const br = readIfThere(`${path}.br`);
  const gzip = readIfThere(`${path}.gz`);
  return {
    type: types[extname(path)] ?? 'application/octet-stream',
    bytes: readFileSync(path),
    encoded: { ...(br === undefined ? {} : { br }), ...(gzip === undefined ? {} : { gzip }) },
  };
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
