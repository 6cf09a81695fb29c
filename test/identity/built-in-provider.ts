import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeJwt, type JWTPayload } from 'jose';
import { type Logger, pino } from 'pino';
import { builtInClientId, builtInClientSecret } from '../../db/keys/identity-secrets.ts';
import { createKeysFile, type Keyring, openKeyring } from '../../db/keys/keys.ts';
import { hashSecret } from '../../db/keys/secrets.ts';
import type { Database } from '../../db/postgres/database.ts';
import { beginAttempt } from '../../db/sign-in/sign-in-attempts.ts';
import { readSettings } from '../../domain/settings/settings.ts';
import { createPages } from '../../identity/pages/routes.ts';
import { finishSignIn } from '../../identity/provider/finish-sign-in.ts';
import { createProvider } from '../../identity/provider/provider.ts';
import { createIdentityServer, type OpenProvider } from '../../identity/provider/server.ts';
import { readAsset } from '../../pages/page.ts';
import { PageVisitor } from '../browsers/page-visitor.ts';
import { freshDatabase } from '../ground/fresh-database.ts';

export interface BuiltInProvider {
  url: string;
  database: Database;
  keyring: Keyring;
  /** The lines logged so far. */
  lines: Record<string, unknown>[];
  /** Begins a sign-in as the API does, and follows it to the first page. */
  begin(more?: { signInLinkId?: string; invitationId?: string; browser?: PageVisitor }): Promise<Begun>;
  /** A browser in which somebody has signed in, without the pages that ask for a password: each check of one costs half a second. */
  signedIn(accountId: string): Promise<PageVisitor>;
  close(): Promise<void>;
}

export interface Begun {
  browser: PageVisitor;
  /** Address of the interaction's page, or of the callback where nothing was asked. */
  path: string;
  /** The text of the first page. */
  text: string;
  state: string;
  /** The address at the provider that the sign-in was begun with. */
  begunAt: string;
  /** The id token for the code in the address of the callback. */
  claims(callback: string): Promise<JWTPayload>;
}

/** The provider as it is, with a database of its own, on a free port; in place of the API there is this file. */
export async function builtInProvider(publicHost = 'localhost'): Promise<BuiltInProvider> {
  const fresh = await freshDatabase();
  const directory = await mkdtemp(join(tmpdir(), 'ballast-identity-'));
  const keysFile = join(directory, 'keys.json');
  await createKeysFile(keysFile);
  const keyring = await openKeyring(fresh.database, keysFile);
  const lines: Record<string, unknown>[] = [];
  const log: Logger = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) });

  let inner: Server | undefined;
  const server = createServer((request, response) => {
    const asset = /^\/assets\/(pages\.css|passkey\.js|code-from-fragment\.js)$/.exec(request.url ?? '')?.[1];
    if (asset === undefined) return void inner?.emit('request', request, response);
    response.setHeader('content-type', asset.endsWith('.css') ? 'text/css' : 'text/javascript');
    response.end(readAsset(asset as Parameters<typeof readAsset>[0]));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://${publicHost}:${(server.address() as AddressInfo).port}`;
  const settings = readSettings({ PUBLIC_URL: url, KEYS_FILE: keysFile });
  const { database } = fresh;
  const provider = await createProvider({ database, key: keyring.identityKey(), settings, log });
  const pages = createPages({ provider, database, keyring, settings, log });
  let comes: string | undefined;
  const open: OpenProvider = {
    protocol: provider.callback(),
    pages: async (request, response, url) => {
      if (comes === undefined || !url.pathname.startsWith('/oidc/interaction/')) return pages(request, response, url);
      await finishSignIn(provider, request, response, { accountId: comes, amr: ['pwd'] });
      return true;
    },
  };
  inner = createIdentityServer({ publicUrl: url, log, open: () => open, ready: () => true });

  const built: BuiltInProvider = {
    url,
    database,
    keyring,
    lines,
    begin: async ({ signInLinkId, invitationId, browser = new PageVisitor(url) } = {}) => {
      const [state, verifier, nonce] = [random(), random(), random()];
      await beginAttempt(database.kysely, {
        browserHash: hashSecret(random()),
        stateHash: hashSecret(state),
        returnTo: '/',
        userAgent: 'test',
        signInLinkId,
        invitationId,
      });
      const callback = `${url}/api/v1/auth/callback`;
      const asked = new URLSearchParams({
        client_id: builtInClientId,
        redirect_uri: callback,
        response_type: 'code',
        scope: 'openid profile email',
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        state,
        nonce,
      });
      const begunAt = `/oidc/auth?${asked}`;
      const first = await browser.get(begunAt);
      const claims = async (address: string): Promise<JWTPayload> => {
        const secret = builtInClientSecret(keyring.identityKey());
        const answer = await fetch(`${url}/oidc/token`, {
          method: 'POST',
          headers: { authorization: `Basic ${btoa(`${builtInClientId}:${secret}`)}` },
          body: new URLSearchParams({
            grant_type: 'authorization_code',
            code: new URL(address).searchParams.get('code') ?? '',
            redirect_uri: callback,
            code_verifier: verifier,
          }),
        });
        const body: { id_token?: string } = JSON.parse(await answer.text());
        if (body.id_token === undefined) throw new Error(`No token: ${JSON.stringify(body)}`);
        return decodeJwt(body.id_token);
      };
      return { browser, path: first.path, text: first.text, state, begunAt, claims };
    },
    signedIn: async (accountId) => {
      comes = accountId;
      const { browser } = await built.begin();
      comes = undefined;
      return browser;
    },
    close: async () => {
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
      await fresh.drop();
      await rm(directory, { recursive: true });
    },
  };
  return built;
}

function random(): string {
  return randomBytes(32).toString('base64url');
}
