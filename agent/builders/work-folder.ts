import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { removeFolder } from './sandbox/mounts.ts';

/** Where a build works: `<home>/builds/<id>`, which is gone when the build has ended. */
export interface WorkFolder {
  source: string;
  layout: string;
  /** The programs that it calls by their names. */
  bin: string;
  /** The folders of the packer: of its request, and of its answer with the layer. */
  request: string;
  packed: string;
  remove(): Promise<void>;
}

export function makeWorkFolder(home: string, id: string): WorkFolder {
  const folder = join(home, 'builds', id);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const within = (name: string) => join(folder, name);
  return {
    ...{ source: within('source'), layout: within('image'), bin: within('bin') },
    ...{ request: within('request'), packed: within('packed') },
    remove: () => removeFolder(folder),
  };
}

/** Of an agent that was killed. */
export async function removeWorkFolders(home: string): Promise<void> {
  const builds = join(home, 'builds');
  if (!existsSync(builds)) return;
  for (const name of readdirSync(builds)) await removeFolder(join(builds, name));
}
