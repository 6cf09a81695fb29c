import {
  closeSync,
  existsSync,
  fchmodSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

const always = '127.0.0.1\tlocalhost\n::1\tlocalhost\n';

/**
 * The names of each environment, in a file that all its containers have as /etc/hosts. The engine's own names would lead to
 * instances that only start, and cannot be changed while a container runs.
 */
export class HostNames {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
    // Other users read the file in their containers; the way to it is closed to them.
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }

  /** The file, which is there before the first container needs it. */
  path(environment: string): string {
    const path = join(this.#directory, environment);
    if (!existsSync(path)) this.#write(path, always);
    return path;
  }

  /** A name that leads to nobody is not there. */
  set(environment: string, names: readonly { name: string; addresses: readonly string[] }[]): void {
    const lines = names.flatMap(({ name, addresses }) => addresses.map((address) => `${address}\t${name}\n`));
    this.#write(this.path(environment), always + lines.join(''));
  }

  keep(environments: ReadonlySet<string>): void {
    for (const name of readdirSync(this.#directory)) {
      if (!environments.has(name)) rmSync(join(this.#directory, name), { force: true });
    }
  }

  /** In its place, since containers hold on to the file: at no time does a reader find half of a line. */
  #write(path: string, text: string): void {
    const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
    if (before === text) return;
    const file = openSync(path, before === '' ? 'w' : 'r+', 0o644);
    try {
      // Whatever the agent's mask is: users of containers read it.
      fchmodSync(file, 0o644);
      writeSync(file, text.padEnd(before.length, '\n'), 0);
      ftruncateSync(file, Buffer.byteLength(text));
    } finally {
      closeSync(file);
    }
  }
}
