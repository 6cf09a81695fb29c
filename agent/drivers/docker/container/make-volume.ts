import { chmodSync, chownSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { InstanceSpec } from '../../driver.ts';
import type { Places } from '../../process/places.ts';

/**
 * A volume is a directory of the home. It belongs to who works in it, as far as that is said by number and the agent may
 * give it away; else it is open to all, behind a directory that nobody else of this machine may enter.
 */
export function makeVolume(places: Places, { key, process: { runAsUser }, image }: InstanceSpec, name: string): void {
  const path = places.volume(key, name);
  if (existsSync(path)) return;
  mkdirSync(places.volumesOf(key), { recursive: true, mode: 0o700 });
  const [, user, group] = /^(\d+)(?::(\d+))?$/.exec(runAsUser === undefined ? image.config.user : `${runAsUser}`) ?? [];
  // Made aside, so that one that is there is whole.
  const draft = join(dirname(path), `.new-${name}`);
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft);
  if (user !== undefined && globalThis.process.getuid?.() === 0) {
    chownSync(draft, Number(user), Number(group ?? user));
    chmodSync(draft, 0o700);
  } else {
    chmodSync(draft, 0o777);
  }
  renameSync(draft, path);
}
