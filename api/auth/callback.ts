import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Author } from '../../db/engine/author.ts';
import { effect } from '../../db/engine/effect.ts';
import { hashSecret } from '../../db/keys/secrets.ts';
import { createSession, endSession, sessionOfSecret } from '../../db/sign-in/sessions.ts';
import { keptUserAgent, type TakenAttempt, takeAttempt } from '../../db/sign-in/sign-in-attempts.ts';
import { Problem } from '../../domain/problems.ts';
import { operation } from '../engine/operation.ts';
import type { Client } from '../engine/pipeline/client.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { admitPerson } from './admit-person.ts';
import { callbackPath, isHttps } from './begin-sign-in.ts';
import { type BrowserSecret, fromBrowserSecret } from './browser-secret.ts';
import { Refusal, refusedByProvider } from './refusal.ts';
import { signedIn } from './signed-in.ts';

/** Kept beside the records of what succeeded: who tries what, from where. Never what it was tried with. */
export async function noteRefusal(
  { database, log }: ServerParts,
  client: Client,
  problem: Problem,
  attemptId = 'unknown',
): Promise<void> {
  const reason = problem instanceof Refusal ? problem.reason : problem.code;
  log.info({ requestId: client.requestId, reason }, 'A sign-in was refused');
  await effect(database, anonymous(client), async (running) => {
    running.audit('sign_in.refused', { id: attemptId }, { reason });
  }).catch((error: unknown) => log.warn({ requestId: client.requestId, err: error }, 'A refusal was not recorded'));
}

function anonymous(client: Client): Author {
  return { kind: 'machine', id: 'public', name: 'anonymous', ip: client.address, requestId: client.requestId };
}

const answer = z.string().max(4096).optional();

export const callback = operation({
  method: 'GET',
  url: callbackPath,
  summary: 'Return from the identity provider',
  description:
    'The provider redirects the browser here. Needs the cookie `svc_oidc` and the User-Agent that the sign-in started with; creates the session and its cookie `svc_session`.',
  scope: 'public',
  rate: 'credentials',
  redirects: true,
  problems: ['sign-in-refused', 'no-credential', 'email-mismatch', 'invitation-over', 'not-found'],
  // Providers add parameters of their own.
  query: z.object({
    code: answer,
    state: answer,
    iss: answer,
    error: answer,
  }),
  result: z.string(),
  async handle({ query, client, server, signal }) {
    // The cookie is good for one attempt, whatever its outcome.
    client.setCookie('svc_oidc', '', { maxAgeSeconds: 0, secure: isHttps(server) });
    const cookie = client.cookie('svc_oidc');
    const sessionBefore = client.cookie('svc_session');
    if (cookie === undefined || cookie === '') {
      throw new Refusal(
        'no-cookie',
        'This browser has started no sign-in in the last ten minutes, or sends no cookies; allow cookies for this address and start again from the sign-in page.',
      );
    }
    const secret = fromBrowserSecret(cookie);
    const attempt = await takeAttempt(server.database.kysely, secret.browserHash);
    try {
      return await finish(server, client, { query, secret, attempt, sessionBefore, signal });
    } catch (error) {
      if (error instanceof Problem) await noteRefusal(server, client, error, attempt?.id);
      throw error;
    }
  },
});

interface Return {
  query: {
    code?: string | undefined;
    state?: string | undefined;
    iss?: string | undefined;
    error?: string | undefined;
  };
  secret: BrowserSecret;
  attempt: TakenAttempt | undefined;
  sessionBefore: string | undefined;
  signal: AbortSignal;
}

async function finish(server: ServerParts, client: Client, back: Return): Promise<string> {
  const { database, settings, provider } = server;
  const attempt = checkedAttempt(client, back);
  const configuration = await provider.configuration();
  const person = await signedIn(
    provider,
    checkedAnswer(settings.PUBLIC_URL, back.query, configuration.serverMetadata()),
    back.secret,
  );
  const author: Author = { ...anonymous(client), name: person.profile.name };
  const made = await effect(database, author, async (running) => {
    const { userId } = await admitPerson(running, settings, person, attempt);
    // From here on it is known who does this; the records are written at the end.
    Object.assign(author, { kind: 'user', id: userId });
    const before =
      back.sessionBefore === undefined ? undefined : await sessionOfSecret(running.kysely, back.sessionBefore);
    if (before !== undefined) await endSession(running, before.id);
    const session = await createSession(running, {
      userId,
      lifetimeSeconds: settings.SESSION_LIFETIME / 1000,
      idleSeconds: Math.round(settings.SESSION_IDLE / 1000),
      ip: client.address,
      userAgent: client.userAgent,
      amr: person.amr,
      mfa: person.profile.mfa,
      providerId: person.providerId,
    });
    // Too late: a session that nobody gets must not exist.
    back.signal.throwIfAborted();
    return session;
  });
  client.setCookie('svc_session', made.secret, {
    maxAgeSeconds: Math.round(settings.SESSION_LIFETIME / 1000),
    secure: isHttps(server),
  });
  return attempt.returnTo;
}

/** The attempt, if it is this browser's, still good, and the answer is the answer to it. */
function checkedAttempt(client: Client, { attempt, query, secret }: Return): TakenAttempt {
  if (attempt === undefined) {
    throw new Refusal(
      'no-attempt',
      'This sign-in was finished before, or a newer one was started in this browser; start again from the sign-in page.',
    );
  }
  if (attempt.expired) {
    throw new Refusal('expired', 'The sign-in took longer than ten minutes; start again from the sign-in page.');
  }
  if (attempt.userAgent !== keptUserAgent(client.userAgent)) {
    throw new Refusal(
      'other-browser',
      'This sign-in was started in another browser; start again from the sign-in page, and stay in one browser.',
    );
  }
  if (
    query.state === undefined ||
    !timingSafeEqual(attempt.stateHash, hashSecret(query.state)) ||
    query.state !== secret.state
  ) {
    throw new Refusal(
      'state',
      'The answer of the identity provider does not belong to the sign-in that this browser started; start again from the sign-in page.',
    );
  }
  return attempt;
}

/** The address that the provider led the browser to, with what belongs to the protocol and nothing else. */
function checkedAnswer(
  publicUrl: string,
  { code, state, iss, error }: Return['query'],
  provider: { issuer: string; authorization_response_iss_parameter_supported?: boolean },
): URL {
  const promised = provider.authorization_response_iss_parameter_supported === true;
  if ((iss !== undefined && iss !== provider.issuer) || (iss === undefined && promised)) {
    throw new Refusal(
      'issuer',
      'Another identity provider has answered than the one this installation trusts; start again from the sign-in page.',
    );
  }
  if (error !== undefined) throw refusedByProvider(error);
  if (code === undefined) {
    throw new Refusal('no-code', 'The identity provider sent no code; start again from the sign-in page.');
  }
  const address = new URL(callbackPath, publicUrl);
  for (const [name, value] of Object.entries({ code, state, iss })) {
    if (value !== undefined) address.searchParams.set(name, value);
  }
  return address;
}
