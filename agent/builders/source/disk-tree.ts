import { closeSync, lstatSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { largestText, type SourceTree } from '../../../domain/detection/tree.ts';
import { shownPath, Tree } from '../../images/tree.ts';
import { Refusal } from '../../program/refusal.ts';
import type { SourceLimits } from './unpack-source.ts';

/** The fetched source, as detection sees it: files only, no link is followed. Nobody else writes there. */
export function diskTree(directory: string): SourceTree {
  const paths: string[] = [];
  walk(directory, '', paths);
  const known = new Set(paths);
  return {
    paths: paths.sort(),
    text(path) {
      if (!known.has(path)) return undefined;
      const file = join(directory, path);
      return lstatSync(file).size > largestText ? undefined : readFileSync(file, 'utf8');
    },
  };
}

function walk(directory: string, at: string, paths: string[]): void {
  for (const entry of readdirSync(join(directory, at), { withFileTypes: true })) {
    const path = at === '' ? entry.name : `${at}/${entry.name}`;
    if (entry.isDirectory()) walk(directory, path, paths);
    else if (entry.isFile()) paths.push(path);
  }
}

const pointer = 'version https://git-lfs.github.com/spec/v1';
const longestPointer = 1_024;

/** A checked-out commit under the rules of uploads: no link leads out of it, nothing is there but files, links and folders. */
export function checkTree(directory: string, limits: SourceLimits): { files: number; bytes: number } {
  const tree = new Tree(directory, 'repository');
  const found = { files: 0, bytes: 0 };
  const pending: string[][] = [[]];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for (const bytes of readdirSync(tree.path(at), { encoding: 'buffer' })) {
      const name = bytes.toString();
      const place = [...at, name];
      if (!Buffer.from(name).equals(bytes))
        throw new Refusal(`The repository has a file whose name is not UTF-8, ${shownPath(place)}: rename it.`);
      tree.parts(place.join('/'));
      const entry = tree.look(place);
      if (entry?.isDirectory()) {
        pending.push(place);
        continue;
      }
      found.files += 1;
      if (found.files > limits.files)
        throw new Refusal(`The repository has more than ${limits.files} files; ${shownPath(place)} is one too many.`);
      if (entry?.isSymbolicLink()) checkLink(tree, place);
      else if (entry?.isFile()) {
        found.bytes += entry.size;
        if (entry.size < longestPointer) refusePointer(tree, place);
      } else throw new Refusal(`The repository has ${shownPath(place)}, which is neither a file nor a link.`);
    }
  }
  if (found.bytes > limits.bytes)
    throw new Refusal(`The files of the repository have more than ${Math.floor(limits.bytes / 2 ** 20)} MB.`);
  tree.checkLinks();
  return found;
}

function checkLink(tree: Tree, place: string[]): void {
  if (readlinkSync(tree.path(place)).startsWith('/')) {
    throw new Refusal(
      `The repository has an absolute link, ${shownPath(place)}, which would lead out of it: make it relative.`,
    );
  }
  tree.linked(place);
}

/** A build of pointers would succeed and deploy them in place of the files. */
function refusePointer(tree: Tree, place: string[]): void {
  const file = openSync(tree.path(place), 'r');
  try {
    const start = Buffer.alloc(pointer.length);
    readSync(file, start, 0, start.length, 0);
    if (start.toString('latin1') !== pointer) return;
  } finally {
    closeSync(file);
  }
  throw new Refusal(
    `The file ${shownPath(place)} is kept by Git LFS, from which builds do not fetch: commit the file itself, or keep it elsewhere.`,
  );
}
