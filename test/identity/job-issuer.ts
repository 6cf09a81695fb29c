import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { defined } from '../../domain/defined.ts';

/** How the issuer's process behaves. */
export interface IssuerState {
  keys: JWK[];
  /** The issuer named in the discovery document, if not the true one. */
  issuer?: string;
  status?: number;
  /** Accepts connections and never answers. */
  silent?: boolean;
}

export interface JobIssuer {
  /** The `iss` of its tokens. */
  url: string;
  /** The key of today, public part. */
  publicKey(): JWK;
  /** A token as a CI gives it to a job, good for five minutes. Claims that are undefined are left out. */
  token(claims: Record<string, unknown>, more?: { kid?: string; jti?: string | null }): Promise<string>;
  /** Signs with a new key from now on; `published: false` keeps it to itself. */
  rotate(published?: boolean): Promise<void>;
  behave(state: Omit<IssuerState, 'keys'>): Promise<void>;
  /** How many requests it has had. */
  asked(): Promise<number>;
  close(): Promise<void>;
}

/** An issuer of CI tokens in a process of its own. */
export async function jobIssuer(algorithm = 'RS256'): Promise<JobIssuer> {
  const child = fork(join(import.meta.dirname, 'job-issuer-process.ts'));
  const tell = async (message: IssuerState | 'how often'): Promise<number> => {
    child.send(message);
    const [{ asked }] = await once(child, 'message');
    return asked;
  };
  const [{ port }] = await once(child, 'message');
  const url = `http://127.0.0.1:${port}`;
  let [key, publicKey] = await newKey(algorithm);
  let state: IssuerState = { keys: [publicKey] };
  await tell(state);
  return {
    url,
    publicKey: () => publicKey,
    async token(claims, { kid, jti = crypto.randomUUID() } = {}) {
      const now = Math.floor(Date.now() / 1000);
      const given = { iss: url, iat: now, nbf: now, exp: now + 300, ...(jti === null ? {} : { jti }), ...claims };
      const payload = defined(given);
      const header = { alg: algorithm, kid: kid ?? String(publicKey.kid), typ: 'JWT' };
      return await new SignJWT(payload).setProtectedHeader(header).sign(key);
    },
    async rotate(published = true) {
      [key, publicKey] = await newKey(algorithm);
      if (published) state = { ...state, keys: [publicKey] };
      await tell(state);
    },
    async behave(how) {
      state = { keys: state.keys, ...how };
      await tell(state);
    },
    asked: () => tell('how often'),
    async close() {
      if (child.exitCode !== null) return;
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

async function newKey(algorithm: string): Promise<[CryptoKey, JWK]> {
  const pair = await generateKeyPair(algorithm, { extractable: true });
  return [pair.privateKey, { ...(await exportJWK(pair.publicKey)), kid: crypto.randomUUID(), use: 'sig' }];
}
