import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { largestText, type SourceTree } from '../../../domain/detection/tree.ts';

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
