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

  has(hash: string): boolean {
    return this.#hashes.has(hash);
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
