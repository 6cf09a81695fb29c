import { createHash } from 'node:crypto';
import { authorizationCodeGrant, type Configuration, fetchUserInfo } from 'openid-client';
import { z } from 'zod';
import type { Profile } from '../../db/sign-in/identities.ts';
import { defined } from '../../domain/defined.ts';
import { isMultiFactor } from '../../domain/sign-in/amr.ts';
import type { BrowserSecret } from './browser-secret.ts';
import type { Provider } from './provider.ts';
import { Refusal, refusedByCheck } from './refusal.ts';

/** Whom the provider vouches for. */
export interface SignedIn {
  providerId: string;
  subject: string;
  amr: string[];
  profile: Profile;
}

const clocksMayDifferBy = 60;

/** Exchanges the code for what the provider says of the person, and trusts none of it unchecked. */
export async function signedIn(provider: Provider, answer: URL, secret: BrowserSecret): Promise<SignedIn> {
  const configuration = await provider.configuration();
  const { state, nonce, codeVerifier } = secret;
  const tokens = await authorizationCodeGrant(configuration, answer, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: codeVerifier,
    idTokenExpected: true,
  }).catch((error: unknown) => {
    throw refusedByCheck(error);
  });
  const claims = tokens.claims();
  if (claims === undefined || tokens.id_token === undefined) throw refusedByCheck(undefined);
  refuseDifferentClocks(claims);
  refuseForeignAccessToken(tokens.id_token, tokens.access_token, claims.at_hash);
  if (claims.sub.length > 255 || /\p{Cc}/u.test(claims.sub)) throw refusedByCheck(undefined);
  const said = described.parse(claims);
  const complete =
    said.email === undefined || said.name === undefined
      ? { ...(await userInfo(configuration, tokens.access_token, claims.sub)), ...defined(said) }
      : said;
  const amr = said.amr ?? [];
  return {
    providerId: provider.builtIn ? provider.id : claims.iss,
    subject: claims.sub,
    amr,
    profile: profileOf(complete, amr),
  };
}

/** Whatever else stands in there is not for us; what has another form than it should counts as not said. */
const described = z.object({
  name: z.string().optional().catch(undefined),
  preferred_username: z.string().optional().catch(undefined),
  email: z.string().optional().catch(undefined),
  email_verified: z
    .union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')])
    .optional()
    .catch(undefined),
  picture: z.string().optional().catch(undefined),
  amr: z.array(z.string().max(64)).max(32).optional().catch(undefined),
});
type Described = z.output<typeof described>;

/** Many providers keep the profile out of the id token. */
async function userInfo(configuration: Configuration, accessToken: string, subject: string): Promise<Described> {
  if (configuration.serverMetadata().userinfo_endpoint === undefined) return {};
  const { amr: _, ...said } = described.parse(
    await fetchUserInfo(configuration, accessToken, subject).catch((error: unknown) => {
      throw refusedByCheck(error);
    }),
  );
  return said;
}

function profileOf(said: Described, amr: readonly string[]): Profile {
  const email = plain(said.email, 320);
  if (!/^[^@\s]+@[^@\s]+$/.test(email)) {
    throw new Refusal(
      'no-email',
      'The identity provider does not say your e-mail address; the operator of this installation should add email to OIDC_SCOPES, or allow it at the provider.',
    );
  }
  return {
    name: plain(said.name, 200) || plain(said.preferred_username, 200) || email,
    email,
    emailVerified: said.email_verified ?? false,
    picture: pictureOf(said.picture),
    mfa: isMultiFactor(amr),
  };
}

function pictureOf(address: string | undefined): string | null {
  const url = address === undefined || address.length > 2000 ? null : URL.parse(address);
  return url?.protocol === 'https:' ? url.href : null;
}

/** One line, as long as anybody's is. */
function plain(text: string | undefined, longest: number): string {
  return (text ?? '')
    .toWellFormed()
    .replace(/(?:(?![\u200c\u200d])[\p{Cc}\p{Cf}]|\s)+/gu, ' ')
    .trim()
    .slice(0, longest);
}

function refuseDifferentClocks(claims: { iat: number; exp: number }): void {
  const now = Math.floor(Date.now() / 1000);
  const apart = claims.iat - now;
  if (Math.abs(apart) <= clocksMayDifferBy && claims.exp > now - clocksMayDifferBy) return;
  const how = apart > 0 ? 'ahead of' : 'behind';
  throw new Refusal(
    'clock',
    `The identity provider's clock is ${inWords(Math.abs(apart))} ${how} this installation's; set both by a time server (NTP), then sign in again.`,
  );
}

function inWords(seconds: number): string {
  return seconds < 120 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`;
}

/** `at_hash` binds the access token to the id token: the left half of its hash, by the algorithm of the signature. */
function refuseForeignAccessToken(idToken: string, accessToken: string, given: unknown): void {
  if (given === undefined) return;
  const header: unknown = JSON.parse(Buffer.from(idToken.split('.', 1)[0] ?? '', 'base64url').toString('utf8'));
  const { alg } = z.object({ alg: z.string() }).parse(header);
  const bits = /(?:256|384|512)$/.exec(alg)?.[0] ?? '512';
  const hash = createHash(`sha${bits}`).update(accessToken, 'ascii').digest();
  if (hash.subarray(0, hash.length / 2).toString('base64url') !== given) throw refusedByCheck(undefined);
}
