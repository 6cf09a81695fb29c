import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { Problem } from '../../domain/problems.ts';
import { OutboundFailed, OutboundRefused } from '../../outbound/failures.ts';
import { fetchPublic } from '../../outbound/request.ts';
import type { OutboundRules } from '../../outbound/rules.ts';

declare module '../engine/server/server-parts.ts' {
  interface ServerParts {
    /** Of the CI issuers that organizations trust. */
    readonly issuerKeys: IssuerKeys;
  }
}

interface Fetched {
  keys: Promise<JWTVerifyGetKey>;
  at: number;
}
interface Known extends Fetched {
  /** The last time that a key was looked for which was not among them. */
  again?: Fetched;
}

const keepMillis = 600_000;
const keepFailureMillis = 5_000;
const lookAgainMillis = 60_000;
const mostIssuers = 1_000;
const limits = { maxBytes: 262_144, timeoutMillis: 5_000, accept: 'application/json' };

const discovery = z.object({ issuer: z.string(), jwks_uri: z.string() });
const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(200) });

/**
 * The public keys of issuers, by discovery. Kept for ten minutes; a key that is not among them is looked for at once,
 * but not more than once a minute, so that tokens with made-up keys do not make us knock at the issuer all day.
 */
export class IssuerKeys {
  readonly #rules: OutboundRules;
  readonly #now: () => number;
  readonly #known = new Map<string, Known>();

  constructor(rules: OutboundRules, now: () => number = () => performance.now()) {
    this.#rules = rules;
    this.#now = now;
  }

  /** Finds the key of a token for `jwtVerify`. The issuer must be one that a rule names: it is asked over the network. */
  of(issuer: string): JWTVerifyGetKey {
    return async (header, token) => {
      const known = this.#current(issuer);
      try {
        return await (await known.keys)(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        return await (await this.#lookAgain(issuer, known).keys)(header, token);
      }
    };
  }

  /** Concurrent requests wait for the same answer; a failure is kept for a moment, too. */
  #current(issuer: string): Known {
    const known = this.#known.get(issuer);
    if (known !== undefined && this.#now() - known.at < keepMillis) return known;
    const fresh: Known = this.#fetched(issuer);
    fresh.keys.catch(() => {
      fresh.at = this.#now() - keepMillis + keepFailureMillis;
    });
    this.#remember(issuer, fresh);
    return fresh;
  }

  /** Those that are known stay until better ones are there. */
  #lookAgain(issuer: string, known: Known): Fetched {
    if (known.again !== undefined && this.#now() - known.again.at < lookAgainMillis) return known.again;
    const again = this.#fetched(issuer);
    known.again = again;
    again.keys.then(
      () => this.#remember(issuer, { ...again, again }),
      () => undefined,
    );
    return again;
  }

  #fetched(issuer: string): Fetched {
    return { keys: this.#fetch(issuer), at: this.#now() };
  }

  #remember(issuer: string, known: Known): void {
    this.#known.delete(issuer);
    this.#known.set(issuer, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > mostIssuers && oldest !== undefined) this.#known.delete(oldest);
  }

  async #fetch(issuer: string): Promise<JWTVerifyGetKey> {
    const document = await this.#json(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, discovery);
    if (document.issuer !== issuer) {
      throw new Problem(
        'token-not-trusted',
        `The issuer ${issuer} says of itself that it is another one; write the rule's issuer as the issuer writes it.`,
      );
    }
    const set = await this.#json(document.jwks_uri, keySet);
    return createLocalJWKSet(set as JSONWebKeySet);
  }

  async #json<T>(address: string, schema: z.ZodType<T>): Promise<T> {
    try {
      const body = await fetchPublic(address, { ...limits, ...this.#rules });
      return schema.parse(JSON.parse(body.toString('utf8')));
    } catch (error) {
      const why =
        error instanceof OutboundFailed || error instanceof OutboundRefused
          ? error.message
          : 'What it answered is not what OpenID Connect Discovery describes.';
      throw new Problem('unavailable', `The keys of the token's issuer cannot be fetched: ${why} Try again later.`, {
        retryAfterSeconds: 10,
      });
    }
  }
}
