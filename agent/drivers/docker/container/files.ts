import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { InstanceSpec } from '../../driver.ts';
import { filesOf } from '../../instance-file.ts';

export interface MountedFile {
  source: string;
  target: string;
  told: string;
}

/**
 * The files of containers: each mounted from a directory of the home that nobody else may enter, so that no layer ever has
 * them. Whoever works in the container owns them, as far as that is said by number and the agent may give them away; else all
 * of the container may read them.
 */
export class Files {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }

  make(spec: InstanceSpec): MountedFile[] {
    const files = filesOf(spec);
    if (files.length === 0) return [];
    const place = join(this.#directory, spec.id);
    rmSync(place, { recursive: true, force: true });
    mkdirSync(place, { mode: 0o700 });
    const { runAsUser } = spec.process;
    const owner = ownerOf(runAsUser === undefined ? spec.image.config.user : `${runAsUser}`);
    return files.map(({ path, content, told }, index) => {
      const source = join(place, String(index));
      writeFileSync(source, content, { mode: 0o400, flag: 'wx' });
      if (owner === undefined) chmodSync(source, 0o444);
      else chownSync(source, owner.user, owner.group);
      const target = path.startsWith('/') ? path : posix.join('/', spec.image.config.workingDirectory, path);
      return { source, target, told };
    });
  }

  remove(id: string): void {
    rmSync(join(this.#directory, id), { recursive: true, force: true });
  }

  /** Removes what an agent that was killed has left of containers that are gone. */
  keep(ids: ReadonlySet<string>): void {
    for (const id of readdirSync(this.#directory)) if (!ids.has(id)) this.remove(id);
  }
}

function ownerOf(named: string): { user: number; group: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const [, user, group] = /^(\d+)(?::(\d+))?$/.exec(named === '' || named === 'root' ? '0' : named) ?? [];
  return user === undefined ? undefined : { user: Number(user), group: Number(group ?? user) };
}
