import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose';
import { type Logger, pino } from 'pino';
import { v7 as uuid } from 'uuid';
import { builtInClientId, builtInClientSecret } from '../../db/keys/identity-secrets.ts';
import { readSettings } from '../../domain/settings/settings.ts';
import { finishSignIn, type SignedIn } from '../../identity/provider/finish-sign-in.ts';
import { createProvider } from '../../identity/provider/provider.ts';
import { createIdentityServer, type OpenProvider } from '../../identity/provider/server.ts';
import { freePort } from '../ground/free-port.ts';
import { type FreshDatabase, freshDatabase } from '../ground/fresh-database.ts';

const log: Logger = pino({ level: 'silent' });
const verifier = randomBytes(32).toString('base64url');

/** The built-in provider as far as its protocol goes. Whoever comes to an interaction is signed in as `next`. */
export class BareProvider {
  static readonly callback = '/api/v1/auth/callback';
  readonly key = randomBytes(32);
  readonly fresh: FreshDatabase;
  readonly publicUrl: string;
  open: OpenProvider | undefined;
  next: SignedIn = { accountId: '', amr: ['pwd'] };
  readonly #port: number;
  #close: () => void = () => {};

  private constructor(fresh: FreshDatabase, port: number, publicUrl: string) {
    this.fresh = fresh;
    this.#port = port;
    this.publicUrl = publicUrl;
  }

  static async start(publicUrl?: string): Promise<BareProvider> {
    const port = await freePort();
    const one = new BareProvider(await freshDatabase(), port, publicUrl ?? `http://127.0.0.1:${port}`);
    await one.#serve();
    return one;
  }

  async #serve(): Promise<void> {
    const provider = await this.another();
    this.open = {
      protocol: provider.callback(),
      pages: async (request, response, url) => {
        if (!url.pathname.startsWith('/oidc/interaction/')) return false;
        await finishSignIn(provider, request, response, this.next);
        return true;
      },
    };
    const server = createIdentityServer({ publicUrl: this.publicUrl, log, open: () => this.open, ready: () => true });
    await once(server.listen(this.#port, '127.0.0.1'), 'listening');
    this.#close = () => {
      server.close();
      server.closeAllConnections();
    };
  }

  /** As another process would make it, on the same database. */
  async another() {
    const settings = readSettings({ PUBLIC_URL: this.publicUrl });
    return await createProvider({ database: this.fresh.database, key: this.key, settings, log });
  }

  /** Where it listens, whatever its public address is. */
  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.#port}${path}`, { redirect: 'manual', ...init });
  }

  async account(name: string): Promise<string> {
    const id = uuid();
    await this.fresh.database.kysely
      .insertInto('provider_account')
      .values({ id, name, email: `${name.toLowerCase()}@example.com`, password_hash: '-' })
      .execute();
    return id;
  }

  authorize(changed: Record<string, string | undefined> = {}): string {
    const parameters: Record<string, string | undefined> = {
      client_id: builtInClientId,
      response_type: 'code',
      redirect_uri: `${this.publicUrl}${BareProvider.callback}`,
      scope: 'openid profile email',
      state: 'the state',
      nonce: 'the nonce',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...changed,
    };
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value);
    return `/oidc/auth?${query}`;
  }

  async exchange(code: string, changed: Record<string, string> = {}) {
    const answer = await this.fetch('/oidc/token', {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        redirect_uri: `${this.publicUrl}${BareProvider.callback}`,
        code_verifier: verifier,
        client_id: builtInClientId,
        client_secret: builtInClientSecret(this.key),
        ...changed,
      }),
    });
    const body: { id_token?: string; error?: string } = JSON.parse(await answer.text());
    return { status: answer.status, ...body };
  }

  /** Signs in and answers the claims of the id token. */
  async signIn(browser: BareBrowser, changed: Record<string, string> = {}): Promise<JWTPayload> {
    const { url } = await browser.follow(this.authorize(changed));
    const { id_token: idToken } = await this.exchange(url.searchParams.get('code') ?? '');
    if (idToken === undefined) throw new Error(`It ended at ${url.href}.`);
    const keys = createRemoteJWKSet(new URL(`${this.publicUrl}/oidc/jwks`));
    const expected = { issuer: `${this.publicUrl}/oidc`, audience: builtInClientId };
    return (await jwtVerify(idToken, keys, expected)).payload;
  }

  async close(): Promise<void> {
    this.#close();
    await this.fresh.drop();
  }
}

/** As little of a browser as it takes: cookies with their paths, and redirects up to the callback. */
export class BareBrowser {
  readonly #provider: BareProvider;
  readonly #cookies = new Map<string, { value: string; path: string }>();
  /** How often it was asked to sign in. */
  interactions = 0;

  constructor(provider: BareProvider) {
    this.#provider = provider;
  }

  async fetch(address: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(address, this.#provider.publicUrl);
    const sent = [...this.#cookies].filter(([, { path }]) => url.pathname.startsWith(path));
    const cookie = sent.map(([name, { value }]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } });
    if (url.pathname.startsWith('/oidc/interaction/')) this.interactions += 1;
    for (const line of answer.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split('; ');
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      const path = attributes.find((one) => one.startsWith('path='))?.slice(5) ?? '/';
      if (attributes.some((one) => one.includes('01 Jan 1970'))) this.#cookies.delete(name);
      else this.#cookies.set(name, { value, path });
    }
    return answer;
  }

  /** Until it is led back to the API, or to a page. */
  async follow(address: string): Promise<{ url: URL; answer: Response }> {
    let url = new URL(address, this.#provider.publicUrl);
    for (let hops = 0; hops < 10; hops += 1) {
      const answer = await this.fetch(url.href);
      const location = answer.headers.get('location');
      if (location === null) return { url, answer };
      url = new URL(location, url);
      if (!url.pathname.startsWith('/oidc/')) return { url, answer };
    }
    throw new Error('It is led on and on.');
  }
}
