import type { ObservedSlice } from '../../protocol/observed.ts';
import type { Driver } from '../drivers/driver.ts';
import type { Ingress } from '../ingress/ingress.ts';

const every = 30_000;

/** Numbers that change all the time: looked at now and then, and no reason to tell anybody at once. */
export class Statistics {
  readonly #driver: Driver;
  readonly #ingress: Ingress | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking = false;
  #volumes: { key: string; name: string; usedBytes: number }[] = [];
  #traffic: ObservedSlice['traffic'] = [];
  #ports: Record<string, string> = {};

  constructor(driver: Driver, ingress: Ingress | undefined) {
    this.#driver = driver;
    this.#ingress = ingress;
  }

  refresh(now: number): void {
    if (this.#looking || now - this.#lookedAt < every) return;
    this.#looking = true;
    this.#lookedAt = now;
    this.#look().finally(() => {
      this.#looking = false;
    });
  }

  volumesOf(key: string): ObservedSlice['volumes'] {
    return this.#volumes.filter((volume) => volume.key === key).map(({ name, usedBytes }) => ({ name, usedBytes }));
  }

  trafficOf(hosts: ReadonlySet<string>): ObservedSlice['traffic'] {
    return this.#traffic.filter(({ host }) => hosts.has(host));
  }

  /** The reason why a port of the loopback is not open. */
  portFailure(port: number | undefined): string | undefined {
    return port === undefined ? undefined : this.#ports[port];
  }

  async #look(): Promise<void> {
    this.#volumes = await this.#driver.volumes.list().catch(() => this.#volumes);
    this.#ports = (await this.#ingress?.portFailures().catch(() => this.#ports)) ?? {};
    this.#traffic = (await this.#ingress?.traffic().catch(() => this.#traffic)) ?? [];
  }
}
