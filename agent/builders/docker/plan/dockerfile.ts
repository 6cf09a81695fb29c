import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { largestText } from '../../../../domain/detection/tree.ts';
import { shownPath } from '../../../images/tree.ts';
import { Refusal } from '../../../program/refusal.ts';

export interface Dockerfile {
  /** Within the context. */
  path: string;
  /** Names that it declares by ARG. */
  args: readonly string[];
  text: string;
}

export function readDockerfile(folder: string, given: string): Dockerfile {
  const parts = (given === '' ? 'Dockerfile' : given).split('/').filter((part) => part !== '' && part !== '.');
  const path = parts.join('/');
  const refuse = (why: string): never => {
    throw new Refusal(`The Dockerfile ${shownPath([path])} ${why}.`);
  };
  if (given.startsWith('/') || parts.includes('..')) refuse('is not within the context: name it relative to that');
  const place = join(folder, path);
  if (lstatSync(place, { throwIfNoEntry: false }) === undefined)
    refuse('is not there: add it, or change the context or the path of the Dockerfile');
  const real = realpathSync(place);
  if (!real.startsWith(`${realpathSync(folder)}/`)) refuse('is a link that leads out of the context');
  const found = lstatSync(real);
  if (!found.isFile()) refuse('is no file');
  if (found.size > largestText) refuse('is larger than 256 kB');
  const text = readFileSync(real, 'utf8');
  return { path, args: argsOf(text), text };
}

/** `ARG A`, `ARG A=1 B=2`, also over several lines. */
function argsOf(text: string): string[] {
  const lines = text.replace(/[\\`][ \t]*\r?\n/g, ' ').split(/\r?\n/);
  return lines.flatMap((line) => {
    const [, given] = /^\s*ARG\s+(.*)$/i.exec(line) ?? [];
    return [...(given ?? '').matchAll(/(?:^|\s)([A-Za-z_]\w*)(?==|\s|$)/g)].flatMap(([, name]) => name ?? []);
  });
}
