import { existsSync } from 'node:fs';
import type { ContainerInspectInfo } from 'dockerode';
import { type Engine, saidBy } from './engine.ts';
import { homeLabel } from './labels.ts';

/**
 * A network of the home's own, whose containers do not reach each other. Where its bridge is one of this machine they
 * are reached by their own address: then nobody answers before they listen, as the engine's own proxy would.
 */
export class Network {
  readonly name: string;
  readonly #engine: Engine;
  readonly #home: string;
  #ensuring: Promise<unknown> = Promise.resolve();

  constructor(engine: Engine, home: string) {
    this.name = `ballast-${home}`;
    this.#engine = engine;
    this.#home = home;
  }

  /** Makes it if it is not there: its id, and whether its containers can be reached directly. */
  async ensure(): Promise<{ id: string; direct: boolean }> {
    // One after the other: engines let two networks of one name be.
    const ensuring = this.#ensuring.then(async () => (await this.#find()) ?? (await this.#make()));
    this.#ensuring = ensuring.catch(() => undefined);
    const id = await ensuring;
    return { id, direct: existsSync(`/sys/class/net/br-${id.slice(0, 12)}`) };
  }

  /** Where a container listens, while it runs. */
  address(port: number, inspected: ContainerInspectInfo): { host: string; port: number } | undefined {
    const published = inspected.NetworkSettings.Ports?.[`${port}/tcp`]?.[0];
    if (published !== undefined) return { host: '127.0.0.1', port: Number(published.HostPort) };
    const host = inspected.NetworkSettings.Networks[this.name]?.IPAddress;
    return host ? { host, port } : undefined;
  }

  async #find(): Promise<string | undefined> {
    const filters = { label: [`${homeLabel}=${this.#home}`] };
    const networks = await this.#engine.ask((docker) => docker.listNetworks({ filters }));
    // A killed agent's may have come after all: all go on with the same one.
    const [first] = networks.sort((one, other) => one.Id.localeCompare(other.Id));
    return first?.Id;
  }

  async #make(): Promise<string> {
    await this.#engine
      .ask((docker) =>
        docker.createNetwork({
          Name: this.name,
          Driver: 'bridge',
          Labels: { [homeLabel]: this.#home },
          Options: { 'com.docker.network.bridge.enable_icc': 'false' },
        }),
      )
      .catch((error: unknown) => {
        throw new Error(`The Docker engine cannot create the network ${this.name}: ${saidBy(error)}`, { cause: error });
      });
    const made = await this.#find();
    if (made === undefined)
      throw new Error(`The network ${this.name} of the Docker engine was removed; it is created again.`);
    return made;
  }
}
