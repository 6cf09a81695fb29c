import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { writeFileAtomically } from '../../../machine/files.ts';
import type { InstanceFiles } from './instance-files.ts';
import type { Places } from './places.ts';

const [first, last] = [20_000, 29_999];

/** Ports of instances, one after the other, so that no two get the same. */
export class Ports {
  readonly #places: Places;
  readonly #files: InstanceFiles;
  #last: Promise<unknown> = Promise.resolve();

  constructor(places: Places, files: InstanceFiles) {
    this.#places = places;
    this.#files = files;
  }

  /** The one it had, unless somebody else has taken it meanwhile. */
  async give(id: string): Promise<number> {
    const given = this.#last.then(async () => {
      const others = this.#files.ids().filter((other) => other !== id);
      const taken = new Set(others.flatMap((other) => this.#files.port(other) ?? []));
      const had = this.#files.port(id);
      if (had !== undefined && !taken.has(had) && (await isFree(had))) return had;
      const port = await freePort(taken);
      writeFileAtomically(join(this.#places.instance(id), 'port'), String(port));
      return port;
    });
    this.#last = given.catch(() => undefined);
    return await given;
  }
}

/** A port on which nobody listens here, and that is not among those given already. */
async function freePort(taken: ReadonlySet<number>): Promise<number> {
  const size = last - first + 1;
  const begin = randomInt(size);
  for (let step = 0; step < size; step += 1) {
    const port = first + ((begin + step) % size);
    if (!taken.has(port) && (await isFree(port))) return port;
  }
  throw new Error(`All ports from ${first} to ${last} are taken on this machine.`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    if (server.listening) {
      server.close();
      await once(server, 'close');
    }
  }
}
