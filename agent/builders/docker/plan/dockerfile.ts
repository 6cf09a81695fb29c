import {
  createReadStream,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { join, posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Pack, pack } from 'tar-stream';
import { type DockerRules, dockerIgnores, dockerRules } from '../../../../domain/builds/docker-ignore.ts';
import { largestText } from '../../../../domain/detection/tree.ts';
import { shownPath } from '../../../images/tree.ts';
import { Refusal } from '../../../program/refusal.ts';

/** The same files are the same context, whenever they were fetched. */
const mtime = new Date(0);

/** The folder within the source that is the context; a link to one within is that. */
export function contextFolder(source: string, context: string): string {
  const parts = context.split('/').filter((part) => part !== '' && part !== '.');
  const root = realpathSync(source);
  const place = join(root, ...parts);
  const isPlain = !context.startsWith('/') && !parts.includes('..');
  if (!isPlain || !existsSync(place))
    throw new Refusal(`The context ${shownPath([context])} is no folder of the source: change it, or add the folder.`);
  const real = realpathSync(place);
  if ((real !== root && !real.startsWith(`${root}/`)) || !lstatSync(real).isDirectory())
    throw new Refusal(`The context ${shownPath([context])} is no folder of the source: change it, or add the folder.`);
  return real;
}

/** A file that the context has besides. */
export interface Added {
  name: string;
  content: Buffer;
}

/** The context as a tar, the folder in it `below` another if that is said. BuildKit does not apply `.dockerignore` to one. */
export function contextArchive(
  folder: string,
  { dockerfile, below = '', added = [] }: { dockerfile: string; below?: string; added?: readonly Added[] },
): Pack {
  const archive = pack();
  archive.on('error', () => undefined); // Told to its reader.
  const own = [`${dockerfile}.dockerignore`, '.dockerignore'].map((name) => join(folder, name)).find(existsSync);
  const rules = dockerRules(own === undefined ? '' : readFileSync(own, 'utf8'));
  const skips = (path: string) => path !== dockerfile && dockerIgnores(rules, path);
  void (async () => {
    try {
      await put(archive, folder, '', { rules, skips, dockerfile, below });
      for (const { name, content } of added) archive.entry({ name, mode: 0o644, mtime }, content);
      archive.finalize();
    } catch (error) {
      archive.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  })();
  return archive;
}

interface Choice {
  rules: DockerRules;
  dockerfile: string;
  below: string;
  skips(path: string): boolean;
}

async function put(archive: Pack, folder: string, inside: string, choice: Choice): Promise<void> {
  const entries = readdirSync(join(folder, inside)).sort((one, other) =>
    Buffer.compare(Buffer.from(one), Buffer.from(other)),
  );
  for (const entry of entries) {
    const inner = posix.join(inside, entry);
    const name = posix.join(choice.below, inner);
    const path = join(folder, inner);
    const found = lstatSync(path);
    const skipped = choice.skips(inner) || inner === '.git';
    if (found.isDirectory()) {
      const brings = choice.rules.brings || choice.dockerfile.startsWith(`${inner}/`);
      if (skipped && (!brings || inner === '.git')) continue;
      if (!skipped) archive.entry({ name, type: 'directory', mode: 0o755, mtime });
      await put(archive, folder, inner, choice);
    } else if (skipped) continue;
    else if (found.isSymbolicLink()) {
      archive.entry({ name, type: 'symlink', linkname: readlinkSync(path), mtime });
    } else if (found.isFile()) {
      const mode = (found.mode & 0o111) === 0 ? 0o644 : 0o755;
      await pipeline(createReadStream(path), archive.entry({ name, mode, mtime, size: found.size }));
    }
  }
}

interface Dockerfile {
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
