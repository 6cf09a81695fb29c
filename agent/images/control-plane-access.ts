import type { Client } from '../link/client.ts';
import type { Access, Answer } from './registry-access.ts';

/** A repository of the control plane's own registry, by the agent's link and with its credential. */
export class ControlPlaneAccess implements Access {
  readonly #client: Pick<Client, 'image' | 'address'>;
  readonly #repository: string;

  constructor(client: Pick<Client, 'image' | 'address'>, repository: string) {
    this.#client = client;
    this.#repository = repository;
  }

  get host(): string {
    return `The registry of ${this.#client.address}`;
  }

  async get(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<Answer> {
    return await this.#client.image(`${this.#repository}/${path}`, headers, signal);
  }

  /** The connections are the client's. */
  close(): void {}
}
