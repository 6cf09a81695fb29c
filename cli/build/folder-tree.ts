import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { SourceTree } from '../../domain/detection/tree.ts';

const deepest = 3;
const mostPaths = 5_000;
const longestText = 256 * 1024;
const leftOut: ReadonlySet<string> = new Set(['.git', 'node_modules', '.ballast', '.image']);

/** A folder as detection needs to see it, not far down: the cluster looks at all that was uploaded. */
export function folderTree(folder: string): SourceTree {
  return {
    paths: pathsIn(folder, '', deepest).slice(0, mostPaths).toSorted(),
    text(path) {
      try {
        const file = join(folder, path);
        return statSync(file).size > longestText ? undefined : readFileSync(file, 'utf8');
      } catch {
        return undefined;
      }
    },
  };
}

function pathsIn(folder: string, below: string, levels: number): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (leftOut.has(entry.name)) return [];
    if (entry.isDirectory()) return levels === 0 ? [] : pathsIn(folder, path, levels - 1);
    return entry.isFile() ? [path] : [];
  });
}
