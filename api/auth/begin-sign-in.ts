import type { Kysely } from 'kysely';
import { buildAuthorizationUrl, calculatePKCECodeChallenge } from 'openid-client';
import { hashSecret, newSecret } from '../../db/keys/secrets.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { attemptOfBrowser, attemptSeconds, beginAttempt } from '../../db/sign-in/sign-in-attempts.ts';
import type { Client } from '../engine/pipeline/client.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { fromBrowserSecret } from './browser-secret.ts';

export const callbackPath = '/api/v1/auth/callback';

export interface Beginning {
  returnTo: string;
  signInLinkId?: string | undefined;
  invitationId?: string | undefined;
}

/** Begins a sign-in in this browser. Answers the address at the provider that the browser is led to. */
export async function beginSignIn(
  server: ServerParts,
  client: Client,
  beginning: Beginning,
  kysely: Kysely<Tables> = server.database.kysely,
): Promise<string> {
  const { settings, provider } = server;
  // Before anything is written: while the provider is away, an earlier attempt of the browser stays as it is.
  const configuration = await provider.configuration();
  const before = client.cookie('svc_oidc');
  const begun = before === undefined ? undefined : await attemptOfBrowser(kysely, hashSecret(before));
  const names = beginning.signInLinkId ?? beginning.invitationId;
  const secret = newSecret();
  const { state, nonce, codeVerifier, browserHash, stateHash } = fromBrowserSecret(secret);
  await beginAttempt(
    kysely,
    {
      browserHash,
      stateHash,
      returnTo: beginning.returnTo,
      userAgent: client.userAgent,
      // A person who goes back and starts again keeps the sign-in link that this attempt used up.
      signInLinkId: names === undefined ? begun?.link?.id : beginning.signInLinkId,
      invitationId: names === undefined ? begun?.invitation?.id : beginning.invitationId,
    },
    begun?.id,
  );
  client.setCookie('svc_oidc', secret, { maxAgeSeconds: attemptSeconds, secure: isHttps(server) });
  return buildAuthorizationUrl(configuration, {
    redirect_uri: `${settings.PUBLIC_URL}${callbackPath}`,
    scope: provider.scope,
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
  }).href;
}

/** Whether cookies are to go over https only. */
export function isHttps({ settings }: Pick<ServerParts, 'settings'>): boolean {
  return settings.PUBLIC_URL.startsWith('https:');
}
