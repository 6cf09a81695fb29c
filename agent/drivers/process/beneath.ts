import { lstatSync, readlinkSync } from 'node:fs';
import { join, posix } from 'node:path';
import { Refusal } from '../../program/refusal.ts';

/**
 * The place of an image's path when the image's files lie beneath a root. Links, absolute ones too, are followed
 * beneath the root, as in a chroot; only the links in `doors`, which lead to the instance's volumes, lead out. A path
 * that does not exist resolves to the place it would have.
 */
export function beneath(root: string, path: string, doors: ReadonlySet<string> = new Set()): string {
  const rest = path.split('/').filter((part) => part !== '' && part !== '.');
  let base = root;
  let at: string[] = [];
  for (let links = 0; rest.length > 0; ) {
    const part = rest.shift();
    if (part === undefined) break;
    if (part === '..') {
      at.pop();
      continue;
    }
    const here = join(base, ...at, part);
    const target = linkAt(here);
    if (target === undefined) {
      at.push(part);
    } else if (doors.has(target)) {
      base = target;
      at = [];
    } else {
      links += 1;
      if (links > 40) throw new Refusal(`The links at ${path} in the image lead nowhere.`);
      if (target.startsWith('/')) {
        base = root;
        at = [];
      }
      rest.unshift(
        ...posix
          .normalize(target)
          .split('/')
          .filter((each) => each !== '' && each !== '.'),
      );
    }
  }
  return join(base, ...at);
}

function linkAt(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}
