import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const most = 20_000;

/** The credential that a request shows, as a hash: it is compared and nothing else. */
export function shownCredential({ authorization, cookie }: IncomingHttpHeaders): string | undefined {
  const shown = authorization ?? /(?:^|;)\s*svc_session=([^;]*)/.exec(cookie ?? '')?.[1];
  return shown === undefined ? undefined : createHash('sha256').update(shown).digest('base64url');
}

/** Credentials that were good lately, in this process. None is believed for it: it only decides whose limit counts. */
export class KnownCredentials {
  readonly #hashes = new Set<string>();
  readonly #tried = new Map<string, Promise<unknown>>();

  /** One that is known is looked up at once; of one that is not, a request after the other, until it is. */
  async turn<T>(hash: string, lookUp: (isKnown: boolean) => Promise<T>): Promise<T> {
    for (let tried = this.#tried.get(hash); tried !== undefined; tried = this.#tried.get(hash)) {
      await tried.catch(() => undefined);
    }
    if (this.#hashes.has(hash)) return await lookUp(true);
    const trying = lookUp(false).finally(() => this.#tried.delete(hash));
    this.#tried.set(hash, trying);
    return await trying;
  }

  add(hash: string): void {
    // The one that was used longest ago comes first.
    this.#hashes.delete(hash);
    this.#hashes.add(hash);
    if (this.#hashes.size <= most) return;
    const [oldest] = this.#hashes;
    if (oldest !== undefined) this.#hashes.delete(oldest);
  }

  delete(hash: string): void {
    this.#hashes.delete(hash);
  }
}
