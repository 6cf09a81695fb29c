import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomically } from '../../machine/files.ts';
import { tail } from '../../machine/log-files.ts';
import { isOwnDirectory } from '../../machine/own-directory.ts';
import { isAlive } from '../../machine/process-identity.ts';
import { type PortRoute, portRoute, type Route, route } from './route.ts';

const routesFile = z.object({
  generation: z.int().min(0),
  routes: z.array(route),
  ports: z.array(portRoute).default([]),
});
export type RoutesFile = z.infer<typeof routesFile>;

const identity = z.object({ pid: z.int(), started: z.string() });

/** The shell that holds the socket, as it is written down by the process that started it. */
const holderRecord = identity.extend({ digest: z.string(), listen: z.string(), port: z.int() });
export type HolderRecord = z.infer<typeof holderRecord>;

/** A process of the ingress, as it is written down by itself. */
const processRecord = identity.extend({
  digest: z.string(),
  listen: z.string(),
  port: z.int(),
  /** Where it is told what to do: a socket. */
  control: z.string(),
  /** The holder that started it; version 0.1 had none. */
  holder: identity.optional(),
});
export type ProcessRecord = z.infer<typeof processRecord>;

/** The files in the ingress's directory. */
export class IngressFiles {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }

  get accessLog(): string {
    return join(this.directory, 'access.log');
  }

  get ownLog(): string {
    return join(this.directory, 'ingress.log');
  }

  lastWords(): string {
    return tail(this.ownLog, 1_000).trim().split('\n').at(-1) ?? '';
  }

  routes(): RoutesFile {
    return read(join(this.directory, 'routes.json'), routesFile) ?? { generation: 0, routes: [], ports: [] };
  }

  writeRoutes(generation: number, routes: readonly Route[], ports: readonly PortRoute[]): void {
    writeFileAtomically(join(this.directory, 'routes.json'), JSON.stringify({ generation, routes, ports }));
  }

  /** The one that takes connections, or took them last. */
  serving(): ProcessRecord | undefined {
    return read(join(this.directory, 'process.json'), processRecord);
  }

  writeServing(record: ProcessRecord): void {
    writeFileAtomically(join(this.directory, 'process.json'), JSON.stringify(record));
  }

  /** The file with the words that start the program of this digest. */
  programName(digest: string): string {
    return `program-${digest.slice(0, 16)}`;
  }

  /** Programs that no holder could start any more are forgotten. */
  writeProgram(digest: string, words: readonly string[]): void {
    const kept = new Set(
      [digest, ...this.holders().map((holder) => holder.digest)].map((one) => this.programName(one)),
    );
    for (const name of this.#names()) {
      if (/^program-[0-9a-f]{16}$/.test(name) && !kept.has(name)) rmSync(join(this.directory, name), { force: true });
    }
    writeFileAtomically(join(this.directory, this.programName(digest)), words.map((word) => `${word}\n`).join(''));
  }

  /** Holders that are alive. Ended ones are forgotten. */
  holders(): HolderRecord[] {
    return this.#names().flatMap((name) => {
      if (!/^holder-\d+\.json$/.test(name)) return [];
      const record = read(join(this.directory, name), holderRecord);
      if (record !== undefined && isAlive(record)) return [record];
      rmSync(join(this.directory, name), { force: true });
      return [];
    });
  }

  writeHolder(record: HolderRecord): void {
    writeFileAtomically(this.#holderPath(record), JSON.stringify(record));
  }

  removeHolder(record: { pid: number }): void {
    rmSync(this.#holderPath(record), { force: true });
  }

  /** Processes that only finish their connections. Ended ones are forgotten. */
  leaving(): ProcessRecord[] {
    return this.#names().flatMap((name) => {
      if (!/^leaving-\d+\.json$/.test(name)) return [];
      const record = read(join(this.directory, name), processRecord);
      if (record !== undefined && isAlive(record)) return [record];
      rmSync(join(this.directory, name), { force: true });
      if (record !== undefined) this.removeControl(record.control);
      return [];
    });
  }

  writeLeaving(record: ProcessRecord): void {
    writeFileAtomically(this.#leavingPath(record), JSON.stringify(record));
  }

  removeLeaving(record: ProcessRecord): void {
    rmSync(this.#leavingPath(record), { force: true });
  }

  /** With the short directory that was made for it, if it has one of its own. Nothing in a directory of somebody else. */
  removeControl(path: string): void {
    const own = dirname(path);
    if (!isOwnDirectory(own)) return;
    rmSync(path, { force: true });
    if (/^ballast-[A-Za-z0-9]{6}$/.test(own.split('/').at(-1) ?? '')) rmSync(own, { recursive: true, force: true });
  }

  /** None if somebody deleted the home: what runs can be ended all the same. */
  #names(): string[] {
    return existsSync(this.directory) ? readdirSync(this.directory) : [];
  }

  #holderPath({ pid }: { pid: number }): string {
    return join(this.directory, `holder-${pid}.json`);
  }

  #leavingPath(record: ProcessRecord): string {
    return join(this.directory, `leaving-${record.pid}.json`);
  }
}

function read<T>(path: string, shape: z.ZodType<T>): T | undefined {
  try {
    return shape.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data;
  } catch {
    return undefined;
  }
}

/**
 * Two starts with the same digest run the same ingress, wherever their files lie. A bundle is one file; sources are all
 * that lie beside the first.
 */
export function programDigest(program: readonly string[]): string {
  const hash = createHash('sha256').update(process.version);
  for (const argument of program.slice(1)) {
    if (/\.ts$/.test(argument)) {
      const directory = dirname(argument);
      for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort()) {
        if (/\.ts$/.test(name) && !/\.test\.ts$/.test(name))
          hash.update(name).update(readFileSync(join(directory, name)));
      }
    } else if (/\.([cm]?js|sh)$/.test(argument)) hash.update(readFileSync(argument));
    else hash.update(argument);
    hash.update('\0');
  }
  return hash.digest('hex');
}
