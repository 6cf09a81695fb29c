import { chmodSync, createWriteStream, linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { ExtractEvents } from 'tar-stream';
import { Refusal } from '../program/refusal.ts';
import { shownPath, type Tree } from './tree.ts';

type Header = ExtractEvents['entry'][0];
type Content = ExtractEvents['entry'][1];

const whiteout = '.wh.';
const opaque = '.wh..wh..opq';
/** Files up to this are written at once: most of an image's files are so small that a stream for each takes longer. */
const small = 256 * 1024;

/**
 * One layer that is put upon those before it. Nothing keeps more rights than it needs: an image is read by all its
 * instances and written by none, so that only the owner may write, and nothing is run as somebody else.
 */
export class LayerEntries {
  readonly #tree: Tree;
  /** Paths that this layer added, with their parents. */
  readonly #added = new Set<string>();

  readonly #hides: boolean;

  /** `hides`: names that begin with `.wh.` hide files of the layers before, as in images. */
  constructor(tree: Tree, hides = true) {
    this.#tree = tree;
    this.#hides = hides;
  }

  async take(header: Header, content: Content): Promise<void> {
    const parts = this.#tree.parts(header.name);
    const name = parts.at(-1);
    if (name === undefined) return drop(content);
    const parent = this.#tree.directory(parts.slice(0, -1), header.name);
    if (this.#hides && name.startsWith(whiteout)) this.#hide(parent, name);
    else {
      const place = [...parent, name];
      this.#clear(place, header);
      this.#remember(place);
      if (header.type === 'file' || header.type === 'contiguous-file') return this.#file(place, header, content);
      this.#other(place, header);
    }
    drop(content);
  }

  async #file(place: string[], header: Header, content: Content): Promise<void> {
    const path = this.#tree.path(place);
    const made = { flag: 'wx', mode: 0o600 };
    if ((header.size ?? Number.POSITIVE_INFINITY) <= small) writeFileSync(path, await buffer(content), made);
    else await pipeline(content, createWriteStream(path, { flags: made.flag, mode: made.mode }));
    chmodSync(path, header.mode & 0o755);
  }

  #other(place: string[], header: Header): void {
    const path = this.#tree.path(place);
    if (header.type === 'directory') {
      if (this.#tree.look(place) === undefined) mkdirSync(path);
      chmodSync(path, (header.mode & 0o755) | 0o700);
    } else if (header.type === 'symlink') this.#symbolicLink(place, header.linkname);
    else if (header.type === 'link') this.#hardLink(place, header.linkname);
    else
      throw new Refusal(
        `The ${this.#tree.what} has ${shownPath(place)}, which is neither a file nor a directory nor a link.`,
      );
  }

  #symbolicLink(place: string[], target: string): void {
    if (target.startsWith('/')) {
      throw new Refusal(
        `The ${this.#tree.what} has an absolute link, ${shownPath(place)}, which would lead out of the ${this.#tree.what} on this machine.`,
      );
    }
    if (target === '' || target.includes('\0') || Buffer.byteLength(target) > 2048) {
      throw new Refusal(`The ${this.#tree.what} has a link that leads nowhere, ${shownPath(place)}.`);
    }
    symlinkSync(target, this.#tree.path(place));
    this.#tree.linked(place);
  }

  #hardLink(place: string[], target: string): void {
    const parts = this.#tree.parts(target);
    const name = parts.at(-1);
    const source = name === undefined ? [] : [...this.#tree.directory(parts.slice(0, -1), target), name];
    if (this.#tree.look(source)?.isFile() !== true) {
      throw new Refusal(
        `The ${this.#tree.what} has a hard link, ${shownPath(place)}, to a file that it does not have.`,
      );
    }
    linkSync(this.#tree.path(source), this.#tree.path(place));
  }

  #hide(parent: string[], name: string): void {
    if (name === opaque) {
      this.#remember(parent);
      this.#tree.removeOlder(parent, this.#added);
      return;
    }
    // Left by a file system that images were once made with; it means nothing.
    if (name.startsWith(`${whiteout}${whiteout}`)) return;
    const hidden = name.slice(whiteout.length);
    if (hidden === '' || hidden === '.' || hidden === '..') {
      throw new Refusal(`The ${this.#tree.what} hides ${shownPath([...parent, hidden])}, which is no file of its own.`);
    }
    this.#tree.removeOlder([...parent, hidden], this.#added);
  }

  /** A directory stays when a directory takes its place; everything else is replaced, and never written through. */
  #clear(place: string[], header: Header): void {
    const found = this.#tree.look(place);
    if (found === undefined || (found.isDirectory() && header.type === 'directory')) return;
    rmSync(this.#tree.path(place), { recursive: true, force: true });
  }

  #remember(place: readonly string[]): void {
    for (let depth = place.length; depth > 0; depth -= 1) this.#added.add(place.slice(0, depth).join('/'));
  }
}

function drop(content: Content): void {
  content.resume();
}
