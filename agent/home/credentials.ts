import type { Client } from '../link/client.ts';
import { hashOf, type Identity, makeCredential, writeIdentity } from './identity.ts';

/**
 * The credential in use. A new one is on disk before anybody hears of it; after a crash in between either may be the one
 * that holds, and the other is tried when one is refused.
 */
export class Credentials {
  readonly #home: string;
  #identity: Identity;

  constructor(home: string, identity: Identity) {
    this.#home = home;
    this.#identity = identity;
  }

  get current(): string {
    return this.#identity.credential;
  }

  async rotate(client: Client): Promise<void> {
    const pending = this.#identity.pending ?? makeCredential();
    this.#write({ ...this.#identity, pending });
    await client.changeCredential(hashOf(pending));
    this.#write({ ...without(this.#identity), credential: pending });
  }

  /** After a refusal the other credential is used, if there is one. */
  tryOther(): boolean {
    const { credential, pending } = this.#identity;
    if (pending === undefined) return false;
    this.#write({ ...this.#identity, credential: pending, pending: credential });
    return true;
  }

  /** The one in use was accepted: an older one beside it is of no use any more. */
  accepted(cluster: { id: string; name: string }): void {
    this.#write({ ...without(this.#identity), cluster });
  }

  #write(identity: Identity): void {
    if (JSON.stringify(identity) === JSON.stringify(this.#identity)) return;
    writeIdentity(this.#home, identity);
    this.#identity = identity;
  }
}

function without({ pending: _, ...rest }: Identity): Identity {
  return rest;
}
