import { createHash } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { Problem } from '../../domain/problems.ts';

/** Signatures by a key that only the issuer has: no `none`, and nothing whose key both sides would know. */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const toleranceSeconds = 60;
const mostSecondsOld = 86_400;

/** A token whose signature and times are good. */
export interface JobToken {
  issuer: string;
  /** The identity of this token: a second use is recognized by it. */
  id: string;
  /** Nobody could use it after that. */
  expiresAt: Date;
  payload: JWTPayload;
}

/** The same message for strangers whatever the reason: it reveals nothing about this installation. */
export function untrusted(): Problem {
  return new Problem(
    'token-not-trusted',
    'This token is not trusted here: there is no such organization, none of its trusted issuers is the one that the token names in "iss", or the token is not signed by it. Compare both with the rule.',
  );
}

/** Who a token says it is from. Nothing of it is proven yet. */
export function claimedIssuer(token: string): string {
  const { alg, iss } = readUnverified(token);
  if (typeof alg !== 'string' || !algorithms.includes(alg)) {
    throw refused(`The token is signed with an algorithm that is not accepted; use one of ${algorithms.join(', ')}.`);
  }
  if (typeof iss !== 'string' || iss.length > 500 || /\p{Cc}/u.test(iss) || !iss.isWellFormed()) throw untrusted();
  return iss;
}

function readUnverified(token: string): { alg: unknown; iss: unknown } {
  try {
    return { alg: decodeProtectedHeader(token).alg, iss: decodeJwt(token).iss };
  } catch {
    throw refused('The token is no signed JWT; send the ID token that the CI gives to the job, whole.');
  }
}

/** Checks signature and times. The caller has found a rule about the issuer first. */
export async function verifiedJobToken(token: string, issuer: string, key: JWTVerifyGetKey): Promise<JobToken> {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms,
      issuer,
      clockTolerance: toleranceSeconds,
      maxTokenAge: mostSecondsOld,
      requiredClaims: ['exp'],
    });
    return { issuer, id: idOf(token, payload), expiresAt: endOf(payload), payload };
  } catch (error) {
    throw error instanceof Problem ? error : problemOf(error);
  }
}

/** Without a `jti` the content stands for the token: not the signature, of which some algorithms allow several. */
function idOf(token: string, payload: JWTPayload): string {
  if (typeof payload.jti === 'string' && payload.jti !== '') return `jti ${payload.jti}`;
  const content = token.slice(0, token.lastIndexOf('.'));
  return `content ${createHash('sha256').update(content).digest('base64url')}`;
}

function endOf(payload: JWTPayload): Date {
  const oldest = (payload.iat ?? 0) + mostSecondsOld;
  return new Date((Math.min(payload.exp ?? oldest, oldest) + 2 * toleranceSeconds) * 1000);
}

function problemOf(error: unknown): Problem {
  if (error instanceof errors.JWTExpired) {
    return refused(
      error.claim === 'exp'
        ? 'The token has expired; let the job request a new one just before it is exchanged.'
        : 'The token is more than a day old; let the job request a new one just before it is exchanged.',
    );
  }
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.reason === 'missing') return refused(`The token has no "${error.claim}"; it needs exp and iat.`);
    if (error.claim === 'iat' || error.claim === 'nbf') {
      return refused('The token is from the future; compare the clocks of the CI and of this installation.');
    }
  }
  // Whatever else is wrong concerns signature and keys. A key of the issuer's that cannot be used is among it.
  return untrusted();
}

function refused(detail: string): Problem {
  return new Problem('token-not-trusted', detail);
}
