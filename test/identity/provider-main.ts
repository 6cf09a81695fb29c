import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import Provider, { type KoaContextWithOIDC } from 'oidc-provider';
import type { ProviderOrders } from './provider.ts';

/**
 * An OpenID provider as a process of its own: the real library, with accounts of tests. Whoever comes to sign in is
 * signed in at once, as the account that it was told last. It prints its port.
 */
const clientId = 'ballast-test';
const clientSecret = 'a secret that only this test knows';
const [callback = '', signedOut = ''] = process.argv.slice(2);

let orders: ProviderOrders = { account: { sub: 'nobody', claims: {} } };
const trueNow = Date.now;
Date.now = () => trueNow() + (orders.clockOffSeconds ?? 0) * 1000;

const keys = await generateKeyPair('RS256', { extractable: true });
const jwk = { ...(await exportJWK(keys.privateKey)), kid: 'test', use: 'sig', alg: 'RS256' };
const server = createServer((request, answer) => void route(request, answer));
server.listen(0, '127.0.0.1', () => process.stdout.write(`${port()}\n`));
const port = () => (server.address() as AddressInfo).port;
const issuer = () => `http://127.0.0.1:${port()}`;

await new Promise((resolve) => server.once('listening', resolve));
const provider = new Provider(issuer(), {
  jwks: { keys: [jwk] },
  clients: [
    {
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uris: [callback],
      post_logout_redirect_uris: [signedOut],
      response_types: ['code'],
      grant_types: ['authorization_code'],
    },
  ],
  claims: {
    openid: ['sub', 'amr', 'auth_time'],
    profile: ['name', 'picture'],
    email: ['email', 'email_verified'],
  },
  conformIdTokenClaims: false,
  pkce: { required: () => true },
  cookies: { keys: ['of a test'] },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ ...orders.account.claims, sub: id }) }),
  loadExistingGrant: async ({ oidc }: KoaContextWithOIDC) => {
    const { client, account } = oidc;
    if (client === undefined || account === undefined) return undefined;
    const grant = new provider.Grant({ clientId: client.clientId, accountId: account.accountId });
    grant.addOIDCScope('openid profile email');
    await grant.save();
    return grant;
  },
});
provider.use(async (ctx, next) => {
  await next();
  const body: unknown = ctx.body;
  if (ctx.path !== '/token' || typeof body !== 'object' || body === null || !('id_token' in body)) return;
  if (orders.tamper === undefined) return;
  const claims = { ...decodeJwt(String(body.id_token)), ...orders.tamper };
  const signed = await sign(claims);
  // The signature of another token.
  const broken = `${signed.split('.').slice(0, 2).join('.')}.${String(body.id_token).split('.')[2]}`;
  ctx.body = { ...body, id_token: orders.breakSignature ? broken : signed };
});
const serve = provider.callback();

/** Orders of the tests, and the one page there is; the library serves the rest. */
async function route(request: IncomingMessage, answer: ServerResponse): Promise<void> {
  const path = request.url ?? '';
  if (request.method === 'POST' && path === '/orders') {
    orders = (await bodyOf(request)) as ProviderOrders;
    answer.writeHead(204).end();
  } else if (request.method === 'POST' && path === '/tokens') {
    answer.end(await sign((await bodyOf(request)) as JWTPayload));
  } else if (orders.away) {
    request.socket.destroy();
  } else if (path.startsWith('/interaction/')) {
    const { sub, amr } = orders.account;
    const result = orders.deny
      ? { error: 'access_denied', error_description: 'a text of the provider' }
      : { login: { accountId: sub, remember: false, ...(amr === undefined ? {} : { amr }) } };
    await provider.interactionFinished(request, answer, result, { mergeWithLastSubmission: false });
  } else await serve(request, answer);
}

async function sign(claims: JWTPayload): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return await new SignJWT({ iss: issuer(), iat: now, exp: now + 300, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'test', typ: 'JWT' })
    .sign(keys.privateKey);
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const part of request) text += String(part);
  return JSON.parse(text);
}
