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
import type { ContainerInspectInfo } from 'dockerode';
import { type Engine, saidBy } from './engine.ts';
import { environmentLabel, homeLabel } from './labels.ts';

const noPoolLeft =
  '. Each environment on this machine takes one of the address pools of its engine: give it more as "default-address-pools" in /etc/docker/daemon.json, or delete environments.';

/**
 * The networks of a home: one whose containers do not reach each other, and one for each environment, whose containers do.
 * Where their bridges are of this machine, containers are reached by their own address: then nobody answers before they
 * listen, as the engine's own proxy would.
 */
export class Networks {
  readonly #name: string;
  readonly #engine: Engine;
  readonly #home: string;
  #ensuring: Promise<unknown> = Promise.resolve();

  constructor(engine: Engine, home: string) {
    this.#name = `ballast-${home}`;
    this.#engine = engine;
    this.#home = home;
  }

  /** Makes it if it is not there: its id, and whether its containers can be reached directly. */
  async ensure(environment?: string): Promise<{ id: string; direct: boolean }> {
    // One after the other: engines let two networks of one name be.
    const ensuring = this.#ensuring.then(
      async () => (await this.#find(environment)) ?? (await this.#make(environment)),
    );
    this.#ensuring = ensuring.catch(() => undefined);
    const id = await ensuring;
    return { id, direct: existsSync(`/sys/class/net/br-${id.slice(0, 12)}`) };
  }

  /** Where a container listens, while it runs. */
  address(port: number, inspected: ContainerInspectInfo): { host: string; port: number } | undefined {
    const published = inspected.NetworkSettings.Ports?.[`${port}/tcp`]?.[0];
    if (published !== undefined) return { host: '127.0.0.1', port: Number(published.HostPort) };
    const host = this.own(inspected);
    return host ? { host, port } : undefined;
  }

  /** A container's address in the one network that it is in. */
  own(inspected: ContainerInspectInfo): string | undefined {
    const [mine] = Object.entries(inspected.NetworkSettings.Networks).filter(([name]) => name.startsWith(this.#name));
    return mine?.[1].IPAddress || undefined;
  }

  /** Removes networks of environments that are not named, unless a container is still there. */
  async keep(environments: ReadonlySet<string>): Promise<void> {
    for (const { Id, Labels } of await this.#all()) {
      const environment = Labels?.[environmentLabel];
      if (environment === undefined || environments.has(environment)) continue;
      await this.#engine.ask((docker) => docker.getNetwork(Id).remove()).catch(() => undefined);
    }
  }

  #all() {
    const filters = { label: [`${homeLabel}=${this.#home}`] };
    return this.#engine.ask((docker) => docker.listNetworks({ filters }));
  }

  async #find(environment: string | undefined): Promise<string | undefined> {
    const networks = (await this.#all()).filter(({ Labels }) => Labels?.[environmentLabel] === environment);
    // A killed agent's may have come after all: all go on with the same one.
    const [first] = networks.sort((one, other) => one.Id.localeCompare(other.Id));
    return first?.Id;
  }

  async #make(environment: string | undefined): Promise<string> {
    const name = environment === undefined ? this.#name : `${this.#name}-${environment}`;
    await this.#engine
      .ask((docker) =>
        docker.createNetwork({
          Name: name,
          Driver: 'bridge',
          Labels: {
            [homeLabel]: this.#home,
            ...(environment === undefined ? {} : { [environmentLabel]: environment }),
          },
          Options: { 'com.docker.network.bridge.enable_icc': String(environment !== undefined) },
        }),
      )
      .catch((error: unknown) => {
        const said = saidBy(error);
        // Engines of all versions name them so, and each in a sentence of its own.
        const remedy = /address pool/.test(said) ? noPoolLeft : '';
        throw new Error(`The Docker engine cannot create the network ${name}: ${said}${remedy}`, { cause: error });
      });
    const made = await this.#find(environment);
    if (made === undefined)
      throw new Error(`The network ${name} of the Docker engine was removed; it is created again.`);
    return made;
  }
}

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
