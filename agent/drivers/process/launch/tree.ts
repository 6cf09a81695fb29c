import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, lstatSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Refusal } from '../../../program/refusal.ts';
import type { InstanceSpec } from '../../driver.ts';
import { filesOf, type InstanceFile } from '../../instance-file.ts';
import { beneath } from '../beneath.ts';
import type { Places } from '../places.ts';
import { removeTree } from '../roots.ts';

const run = promisify(execFile);

/**
 * The files of an instance: its image's, and a link to each volume where it shall be mounted. Directories are the
 * instance's own, so it can put files beside those of the image. With a user of its own the files are links to the
 * unpacked image, which it can read and not write: an instance costs directories only. Without one it could write to
 * them, so they are copied, sharing blocks where the file system can.
 */
export async function growTree(places: Places, spec: InstanceSpec, user: number | undefined): Promise<void> {
  // Under a name of its own until it is whole: an agent that is killed leaves a `cp` that goes on for a while. And where
  // only the agent can enter: as soon as a directory is the user's, another of its processes could put a link in the
  // place of the next one that is given to it.
  const draft = join(places.roots, `.draft-${randomBytes(6).toString('hex')}`);
  try {
    await copyRoot(places.root(spec.image.digest), draft, user !== undefined);
    makeVolumes(places, spec, user);
    mkdirSync(beneath(draft, spec.image.config.workingDirectory), { recursive: true });
    for (const { name, path } of spec.volumes) {
      const link = placeIn(draft, path, 'volume can be mounted');
      await removeTree(link);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(places.volume(spec.key, name), link);
    }
    for (const file of filesOf(spec)) await writeFile(placeOfFile(draft, spec, file), file, user);
    const owner = `${user}:${user}`;
    if (user !== undefined) await run('find', [draft, '-type', 'd', '-exec', 'chown', owner, '--', '{}', '+']);
    chmodSync(draft, 0o700);
    await removeTree(places.tree(spec.id));
    renameSync(draft, places.tree(spec.id));
  } catch (error) {
    await removeTree(draft);
    throw error;
  }
}

async function copyRoot(root: string, draft: string, linked: boolean): Promise<void> {
  await run('cp', [...(linked ? ['-al'] : ['-a', '--reflink=auto']), '--', root, draft]);
}

/** Where a file of an instance is in its tree: from the root, or from the directory that its program works in. */
export function placeOfFile(tree: string, spec: InstanceSpec, { path }: Pick<InstanceFile, 'path'>): string {
  const base = path.startsWith('/') ? tree : beneath(tree, spec.image.config.workingDirectory);
  return placeIn(base, path, 'file can be put');
}

/** In the place of a file of the image, which is a link to that of all instances: it is not written to. */
async function writeFile(place: string, { path, content }: InstanceFile, user: number | undefined): Promise<void> {
  if (lstatSync(place, { throwIfNoEntry: false })?.isDirectory())
    throw new Refusal(`No file can be put at ${path}: there is a directory.`);
  await removeTree(place);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, content, { mode: 0o400, flag: 'wx' });
  if (user !== undefined) chownSync(place, user, user);
}

/** Links of the image on the way are not followed, wherever they lead: it is where it was said, or nowhere. */
function placeIn(tree: string, path: string, what: string): string {
  let at = tree;
  for (const part of dirname(path).split('/').filter(Boolean)) {
    at = join(at, part);
    const there = lstatSync(at, { throwIfNoEntry: false });
    if (there !== undefined && !there.isDirectory())
      throw new Refusal(`No ${what} at ${path}: the image or a volume has something on the way.`);
  }
  return join(tree, path);
}

function makeVolumes(places: Places, spec: InstanceSpec, user: number | undefined): void {
  if (spec.volumes.length === 0) return;
  mkdirSync(places.volumesOf(spec.key), { recursive: true, mode: 0o711 });
  for (const { name } of spec.volumes) {
    const volume = places.volume(spec.key, name);
    mkdirSync(volume, { recursive: true, mode: 0o700 });
    if (user !== undefined) chownSync(volume, user, user);
  }
}
