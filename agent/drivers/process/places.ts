import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from '../../../machine/files.ts';

/**
 * Where things are in the agent's home. What instances work in (`trees`, `volumes`) can be entered by their users, each
 * directory only by its own; what the agent keeps about them (`instances`, `roots`) only by the agent.
 */
export class Places {
  readonly home: string;
  /** Tells this home's instances from those of other homes on the machine. */
  readonly homeId: string;

  constructor(home: string) {
    this.home = home;
    mkdirSync(home, { recursive: true });
    if (process.getuid?.() === 0) chmodSync(home, 0o711);
    for (const closed of ['instances', 'roots']) mkdirSync(join(home, closed), { recursive: true, mode: 0o700 });
    for (const open of ['trees', 'volumes']) {
      mkdirSync(join(home, open), { recursive: true, mode: 0o711 });
      chmodSync(join(home, open), 0o711);
    }
    const file = join(home, 'instances', '.home');
    if (!existsSync(file)) writeFileAtomically(file, randomUUID());
    this.homeId = readFileSync(file, 'utf8').slice(0, 8);
  }

  get instances(): string {
    return join(this.home, 'instances');
  }
  get trees(): string {
    return join(this.home, 'trees');
  }
  get roots(): string {
    return join(this.home, 'roots');
  }
  get allVolumes(): string {
    return join(this.home, 'volumes');
  }
  instance(id: string): string {
    return join(this.instances, id);
  }
  /** The image's files, as the instance sees them. */
  tree(id: string): string {
    return join(this.trees, id);
  }
  root(digest: string): string {
    return join(this.roots, digest.replace(/^sha256:/, ''));
  }
  /** A key has slashes: they are written so that the name still says the key. */
  volumesOf(key: string): string {
    return join(this.allVolumes, encodeURIComponent(key));
  }
  volume(key: string, name: string): string {
    return join(this.volumesOf(key), name);
  }
}
