import Provider, { type Configuration, type KoaContextWithOIDC } from 'oidc-provider';
import type { Logger } from 'pino';
import { builtInClientId, builtInClientSecret, identitySecret } from '../../db/keys/identity-secrets.ts';
import { connectionFailure } from '../../db/postgres/connection-failure.ts';
import type { Database } from '../../db/postgres/database.ts';
import type { Settings } from '../../domain/settings/settings.ts';
import { pageHeaders } from '../../pages/page.ts';
import { findAccount } from '../accounts/account.ts';
import { errorPage } from '../pages/error.ts';
import { logoutPage, signedOutPage } from '../pages/logout.ts';
import { recordsIn } from './adapter.ts';
import { signInPolicy } from './sign-in-policy.ts';
import { signingKeys } from './signing-keys.ts';

/** Where the provider is, beneath PUBLIC_URL. */
export const mountPath = '/oidc';

export interface ProviderParts {
  database: Database;
  /** The root of the provider's secrets: keyring.identityKey(). */
  key: Buffer;
  settings: Settings;
  log: Logger;
}

const scopes = 'openid profile email';
const minute = 60;
const day = 86_400;

/** The OpenID provider with its one client, which is Ballast: nobody can register another. */
export async function createProvider({ database, key, settings, log }: ProviderParts): Promise<Provider> {
  const { kysely } = database;
  const { PUBLIC_URL } = settings;
  const cookie = { httpOnly: true, sameSite: 'lax', signed: true } as const;
  const configuration: Configuration = {
    adapter: recordsIn({ kysely, key }),
    jwks: { keys: await signingKeys(database, key) },
    clients: [
      {
        client_id: builtInClientId,
        client_secret: builtInClientSecret(key),
        client_name: 'Ballast',
        redirect_uris: [`${PUBLIC_URL}/api/v1/auth/callback`],
        post_logout_redirect_uris: [`${PUBLIC_URL}/signed-out`],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    responseTypes: ['code'],
    scopes: ['openid'],
    claims: {
      openid: ['sub', 'amr', 'auth_time'],
      profile: ['name'],
      email: ['email', 'email_verified'],
    },
    clientAuthMethods: ['client_secret_basic', 'client_secret_post'],
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    clientBasedCORS: () => false,
    clockTolerance: 5,
    ttl: {
      AuthorizationCode: minute,
      AccessToken: minute,
      IdToken: 5 * minute,
      Interaction: 15 * minute,
      // Anybody can create a session that nobody is signed in with: it must not fill the table.
      Session: (_, session) => (session.accountId === undefined ? 15 * minute : 14 * day),
      Grant: 14 * day,
    },
    cookies: {
      names: { session: '_ballast_session', interaction: '_ballast_interaction', resume: '_ballast_resume' },
      keys: [identitySecret(key, 'provider cookies').toString('base64url')],
      long: { ...cookie, path: mountPath },
      // Those of an interaction get the path of its own page.
      short: cookie,
    },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx, form) => show(ctx, logoutPage(form)),
        postLogoutSuccessSource: (ctx) => show(ctx, signedOutPage()),
      },
    },
    interactions: {
      policy: signInPolicy(kysely),
      url: (_, { uid }) => `${mountPath}/interaction/${uid}`,
    },
    findAccount: async (_, id) => {
      const account = await findAccount(kysely, id);
      if (account === undefined) return undefined;
      const { name, email, emailVerified } = account;
      return { accountId: id, claims: () => ({ sub: id, name, email, email_verified: emailVerified }) };
    },
    loadExistingGrant: consented,
    renderError: (ctx, { error }, failure) => {
      if (connectionFailure(failure)) ctx.status = 503;
      show(ctx, errorPage('This did not work', sentences[error] ?? somethingElse));
    },
  };
  const provider = new Provider(`${PUBLIC_URL}${mountPath}`, configuration);
  // The forwarded headers come from server.ts alone, so they can be trusted.
  provider.proxy = true;
  // Neither addresses nor bodies: both can hold codes.
  provider.on('server_error', (ctx, err) => log.error({ err, route: ctx.oidc?.route }, 'The provider met a defect'));
  provider.onerror = (err) => {
    if (!('expose' in err && err.expose === true)) log.error({ err }, 'The provider met a defect');
  };
  return provider;
}

/** Signing in here means using Ballast, so consent is never asked for separately. */
async function consented({ oidc }: KoaContextWithOIDC) {
  const { client, session, account, provider } = oidc;
  if (client === undefined || account === undefined) return undefined;
  const known = session?.grantIdFor(client.clientId);
  const grant = known === undefined ? undefined : await provider.Grant.find(known);
  if (grant !== undefined) return grant;
  const made = new provider.Grant({ clientId: client.clientId, accountId: account.accountId });
  made.addOIDCScope(scopes);
  await made.save();
  return made;
}

function show(ctx: KoaContextWithOIDC, page: string): void {
  ctx.set(pageHeaders());
  ctx.body = page;
}

/** By the protocol's error codes. What else they say is for programs. */
const sentences: Record<string, string> = {
  invalid_client: 'The sign-in was not started by this installation; start again.',
  invalid_redirect_uri:
    'The sign-in would lead to another address than PUBLIC_URL; open Ballast under that address, or correct PUBLIC_URL.',
  session_not_found: 'The sign-in was left waiting for too long, or was started in another browser; start again.',
  invalid_request: 'The sign-in was not started by this installation, or has expired; start again.',
};

const somethingElse = 'The sign-in failed; start again, and see the log if that does not help.';
