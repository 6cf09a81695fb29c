import { execFile } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readlinkSync, rmSync, type Stats } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Refusal } from '../program/refusal.ts';

const longestPath = 2048;
const longestName = 255;
const mostLinks = 40;

/**
 * The files of an image, or of the source of a build, while they are unpacked. Nobody else writes here, so what was looked
 * at stays as it was; what must not be trusted are the names, which come from outside.
 */
export class Tree {
  readonly root: string;
  /** As messages call it. */
  readonly what: string;
  readonly #links: string[] = [];

  constructor(root: string, what = 'image') {
    this.root = root;
    this.what = what;
  }

  /** The parts of a name that an image gives, none of which lead up or anywhere else. */
  parts(name: string): string[] {
    const shown = JSON.stringify(name.slice(0, 200));
    if (name.startsWith('/')) throw new Refusal(`The ${this.what} has a file with an absolute name, ${shown}.`);
    if (name.includes('\0'))
      throw new Refusal(`The ${this.what} has a file with a null character in its name, ${shown}.`);
    if (Buffer.byteLength(name) > longestPath)
      throw new Refusal(`The ${this.what} has a file with a too long path, ${shown}.`);
    const parts = name.split('/').filter((part) => part !== '' && part !== '.');
    if (parts.includes('..'))
      throw new Refusal(`The ${this.what} has a file whose name leads out of the ${this.what}, ${shown}.`);
    if (parts.some((part) => Buffer.byteLength(part) > longestName)) {
      throw new Refusal(`The ${this.what} has a file with a too long name, ${shown}.`);
    }
    return parts;
  }

  /** Where the directory really is, as parts beneath the root; what is missing is made. */
  directory(parts: readonly string[], name: string): string[] {
    const real = this.#follow(parts, name);
    for (let depth = 1; depth <= real.length; depth += 1) {
      const found = this.look(real.slice(0, depth));
      if (found === undefined) mkdirSync(this.path(real.slice(0, depth)), 0o755);
      else if (!found.isDirectory())
        throw new Refusal(`The ${this.what} has files beneath ${shownPath(real)}, which is one.`);
    }
    return real;
  }

  /** Remembers a symbolic link: where it leads is known only when all layers are there. */
  linked(parts: readonly string[]): void {
    this.#links.push(parts.join('/'));
  }

  /** Readers of the files follow links, so no link may lead outside, not even through a chain of others. */
  checkLinks(): void {
    for (const link of this.#links) {
      const parts = link.split('/');
      if (this.look(parts)?.isSymbolicLink() === true) this.#follow(parts, link);
    }
  }

  look(parts: readonly string[]): Stats | undefined {
    try {
      return lstatSync(this.path(parts), { throwIfNoEntry: false });
    } catch (error) {
      // Something above it is a file, so that there is nothing here.
      if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return undefined;
      throw error;
    }
  }

  path(parts: readonly string[]): string {
    return join(this.root, ...parts);
  }

  /** Takes away what layers before this one put here; `added` has the paths of this one. */
  removeOlder(parts: readonly string[], added: ReadonlySet<string>): void {
    if (parts.length > 0 && !added.has(parts.join('/'))) {
      rmSync(this.path(parts), { recursive: true, force: true });
    } else if (this.look(parts)?.isDirectory() === true) {
      for (const name of readdirSync(this.path(parts))) this.removeOlder([...parts, name], added);
    }
  }

  /** The path without symbolic links: each is resolved in its place, as the system would, and may not leave the root. */
  #follow(parts: readonly string[], name: string): string[] {
    const out = () =>
      new Refusal(`The ${this.what} has a link that leads out of the ${this.what} on the way to ${shownPath([name])}.`);
    const rest = [...parts];
    const real: string[] = [];
    let links = 0;
    for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
      if (part === '' || part === '.') continue;
      if (part === '..') {
        if (real.pop() === undefined) throw out();
        continue;
      }
      real.push(part);
      if (this.look(real)?.isSymbolicLink() !== true) continue;
      links += 1;
      if (links > mostLinks)
        throw new Refusal(`The ${this.what} has links that lead in a circle at ${shownPath(real)}.`);
      const target = readlinkSync(this.path(real));
      if (target.startsWith('/')) throw out();
      real.pop();
      rest.unshift(...target.split('/'));
    }
    return real;
  }
}

export function shownPath(parts: readonly string[]): string {
  return JSON.stringify(parts.join('/').slice(0, 200));
}

const run = promisify(execFile);

/**
 * Has a directory's files on the disk before anything relies on them. The file system is flushed once as a whole: to flush
 * each of ten thousand small files takes half a minute.
 */
export async function flushTree(directory: string, signal: AbortSignal, program = 'sync'): Promise<void> {
  try {
    await run(program, ['-f', directory], { signal });
  } catch {
    // Of a system whose `sync` knows no single file system.
    signal.throwIfAborted();
    await flushEach(directory, signal);
  }
}

async function flushEach(directory: string, signal: AbortSignal): Promise<void> {
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    signal.throwIfAborted();
    if (!entry.isFile() && !entry.isDirectory()) continue;
    const file = await open(join(entry.parentPath, entry.name), 'r');
    await file.sync().finally(() => file.close());
  }
}
