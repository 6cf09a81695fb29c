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
  const frontend = frontendOf(text);
  if (frontend !== undefined && !own.test(frontend))
    refuse(
      `has the line "# syntax=" with the frontend ${frontend}, and builds have BuildKit's own alone: take the line out, or name docker/dockerfile`,
    );
  return { path, args: argsOf(text), text };
}

/** Whichever version is named, it is read by the one that the builder brings. */
const own = /^(?:docker\.io\/)?docker\/dockerfile(?:-upstream)?(?:[:@]|$)/;

/** A line among the first comments; what BuildKit understands besides, it passes over. */
function frontendOf(text: string): string | undefined {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  const first = lines.findIndex((line) => !/^\s*(#|\/\/)/.test(line));
  const comments = first < 0 ? lines : lines.slice(0, first);
  return comments.flatMap((line) => /^\s*(?:#|\/\/)\s*syntax\s*=\s*(\S+)/i.exec(line)?.[1] ?? [])[0];
}

/** `ARG A`, `ARG A=1 B=2`, also over several lines. */
function argsOf(text: string): string[] {
  const lines = text.replace(/[\\`][ \t]*\r?\n/g, ' ').split(/\r?\n/);
  return lines.flatMap((line) => {
    const [, given] = /^\s*ARG\s+(.*)$/i.exec(line) ?? [];
    return [...(given ?? '').matchAll(/(?:^|\s)([A-Za-z_]\w*)(?==|\s|$)/g)].flatMap(([, name]) => name ?? []);
  });
}
