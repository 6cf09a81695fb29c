import { timingSafeEqual } from 'node:crypto';
import { sessionCredential, tokenCredential } from '../../../db/credentials/credentials.ts';
import { hashSecret } from '../../../db/keys/secrets.ts';
import { Problem } from '../../../domain/problems.ts';
import { lowerRole } from '../../../domain/roles.ts';
import { Caller } from '../caller.ts';
import type { Incoming } from '../input/incoming.ts';
import type { ServerParts } from '../server/server-parts.ts';
import { ownCookie } from './cookies.ts';

/** As much of a request as says who sends it. */
export type Showing = Pick<Incoming, 'requestId' | 'address' | 'headers'>;

const tokenForm = /^Bearer +svc_([A-Za-z0-9]{1,64})_([A-Za-z0-9_-]{1,128})$/i;

/**
 * Who calls, by the API token or the session cookie. With both, the token counts: a header is sent on purpose, a cookie
 * goes along by itself. A header that is no valid token is never made good by a cookie.
 */
export async function callerOf(server: ServerParts, incoming: Showing): Promise<Caller> {
  const { authorization, cookie } = incoming.headers;
  if (authorization !== undefined) return tokenCaller(server, incoming, authorization);
  const secret = ownCookie(cookie, 'svc_session');
  if (secret !== undefined) return sessionCaller(server, incoming, secret);
  throw new Problem(
    'no-credential',
    'This needs a credential: send an API token as Authorization: Bearer <token>, or sign in to the console.',
  );
}

async function tokenCaller(server: ServerParts, incoming: Showing, authorization: string): Promise<Caller> {
  const [, tokenId, secret] = tokenForm.exec(authorization) ?? [];
  if (tokenId === undefined || secret === undefined) {
    throw new Problem('no-credential', 'The Authorization header holds no API token; send it as Bearer svc_….');
  }
  const token = await tokenCredential(server.database.kysely, tokenId);
  if (token === undefined || !timingSafeEqual(token.secretHash, hashSecret(secret))) {
    throw new Problem(
      'no-credential',
      'There is no such API token; check that it was copied whole, or create another.',
    );
  }
  if (!token.valid) {
    const why = token.revokedAt === null ? 'has expired' : 'was revoked';
    throw new Problem('no-credential', `This API token ${why}; create another one.`);
  }
  const { maker } = token;
  if (maker !== undefined && (maker.disabled || maker.role === null)) {
    const why = maker.disabled ? 'is disabled' : 'has left the organization';
    throw new Problem(
      'no-credential',
      `The person who created this API token ${why}; somebody else has to create one.`,
    );
  }
  // Never more than its maker may do today.
  const role = maker === undefined || maker.role === null ? token.role : lowerRole(token.role, maker.role);
  return new Caller({
    credential: { kind: 'token', id: token.id },
    ...(maker === undefined ? {} : { makerId: maker.id }),
    id: token.id,
    name: token.name,
    mfa: false,
    millisLeft: token.secondsLeft === null ? undefined : token.secondsLeft * 1000,
    projectIds: token.projectRestricted ? new Set(token.projectIds) : undefined,
    memberships: [{ ...token.organization, role }],
    ip: incoming.address,
    requestId: incoming.requestId,
    database: server.database,
  });
}

async function sessionCaller(server: ServerParts, incoming: Showing, secret: string): Promise<Caller> {
  const session = /^[A-Za-z0-9_-]{1,128}$/.test(secret)
    ? await sessionCredential(server.database.kysely, hashSecret(secret))
    : undefined;
  if (session === undefined) {
    throw new Problem('no-credential', 'The session has ended; sign in again.');
  }
  return new Caller({
    credential: { kind: 'session', id: session.id },
    id: session.user.id,
    name: session.user.name,
    person: session.user,
    readIn: { snapshot: session.snapshot, at: session.readAt },
    mfa: session.mfa,
    millisLeft: session.secondsLeft * 1000,
    idleSoon: session.idleSoon,
    projectIds: undefined,
    memberships: session.memberships.map(({ organizationId: id, ...rest }) => ({ id, ...rest })),
    ip: incoming.address,
    requestId: incoming.requestId,
    database: server.database,
  });
}
