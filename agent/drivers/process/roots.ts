import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unpack } from '../../images/unpack.ts';
import { Refusal } from '../../program/refusal.ts';
import type { ReadyImage } from '../image.ts';
import { hostBound } from '../image.ts';
import type { Places } from './places.ts';

const run = promisify(execFile);

/** Images unpacked, once each. Nothing runs in them: see `tree.ts`. */
export class Roots {
  readonly #places: Places;
  readonly #atWork = new Map<string, Promise<void>>();

  constructor(places: Places) {
    this.#places = places;
  }

  async prepare(image: ReadyImage, signal: AbortSignal): Promise<void> {
    refuseForeign(image);
    if (existsSync(this.#places.root(image.digest))) return;
    const going = this.#atWork.get(image.digest);
    if (going !== undefined) return await going;
    const work = this.#unpack(image, signal).finally(() => this.#atWork.delete(image.digest));
    this.#atWork.set(image.digest, work);
    await work;
  }

  async #unpack(image: ReadyImage, signal: AbortSignal): Promise<void> {
    const root = this.#places.root(image.digest);
    const draft = join(this.#places.roots, `.draft-${randomBytes(6).toString('hex')}`);
    mkdirSync(draft, { mode: 0o755 });
    try {
      await unpack(image, draft, signal);
      // Every instance's user can read its image, nobody can write to files that instances share, and no setuid bit
      // gives one user the rights of another.
      await run('chmod', ['-R', 'a+rX,u+w,go-w,a-s', '--', draft], { signal });
      renameSync(draft, root);
    } finally {
      await removeTree(draft);
    }
  }

  async forget(kept: ReadonlySet<string>): Promise<void> {
    const names = new Set([...kept].map((digest) => digest.replace(/^sha256:/, '')));
    for (const name of readdirSync(this.#places.roots))
      if (!names.has(name) && !name.startsWith('.draft-')) await removeTree(join(this.#places.roots, name));
  }

  async sweep(): Promise<void> {
    for (const name of readdirSync(this.#places.roots))
      if (name.startsWith('.draft-')) await removeTree(join(this.#places.roots, name));
  }
}

/**
 * Trees that are there, removed by one `rm`. It looks at every directory through an open one: what a process of the instance
 * does meanwhile cannot lead it elsewhere, which cannot be said of removing by path.
 */
export async function removeTree(...paths: readonly string[]): Promise<void> {
  const there = paths.filter((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
  if (there.length > 0) await run('rm', ['-rf', '--', ...there]);
}

function refuseForeign(image: ReadyImage): void {
  const here = `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`;
  const bound = image.annotations[hostBound];
  if (bound === undefined) {
    throw new Refusal(
      'The image has a base system or does not name the host that it needs; the process driver runs only images ' +
        `made for it (annotated ${hostBound}).`,
    );
  }
  const [platform, ...needs] = bound.split(/[\s,;]+/).filter((word) => word !== '');
  if (platform !== here) throw new Refusal(`The image was made for ${platform} and this machine is ${here}.`);
  const libc = needs.find((need) => need.startsWith('glibc') || need.startsWith('musl'));
  if (libc === undefined) return;
  const own = existsSync(`/lib/ld-musl-${process.arch === 'x64' ? 'x86_64' : 'aarch64'}.so.1`) ? 'musl' : 'glibc';
  if (!libc.startsWith(own)) throw new Refusal(`The image needs ${libc} and this machine has ${own}.`);
}
