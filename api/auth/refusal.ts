import { Problem, type ProblemCode } from '../../domain/problems.ts';

/** Why somebody is not signed in: `reason` for the audit log, the sentence for the person. */
export class Refusal extends Problem {
  readonly reason: string;

  constructor(reason: string, sentence: string, code: ProblemCode = 'sign-in-refused') {
    super(code, sentence);
    this.reason = reason;
  }
}

const again = 'start again from the sign-in page';

/** The provider's own error codes in our words; its free text is not repeated. */
export function refusedByProvider(error: string): Refusal {
  switch (error) {
    case 'access_denied':
    case 'login_required':
    case 'consent_required':
    case 'interaction_required':
      return new Refusal('denied', `You did not sign in with the identity provider, or it did not let you: ${again}.`);
    case 'temporarily_unavailable':
    case 'server_error':
      return new Refusal('provider-failed', `The identity provider has a failure of its own: ${again} in a moment.`);
    default:
      return new Refusal(
        'provider-refused',
        'The identity provider refused the request of this installation: its operator should compare OIDC_CLIENT_ID, OIDC_SCOPES and the redirect address with what is registered there.',
      );
  }
}

/** The library's error in our words: its own text may quote tokens. */
export function refusedByCheck(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const codes = chain(error).map((one) => read(one, 'code'));
  if (error instanceof TypeError || codes.includes('OAUTH_TIMEOUT') || codes.includes('OAUTH_ABORT')) {
    return new Problem(
      'unavailable',
      'The identity provider does not answer at the moment; sign in again in a moment.',
      {
        retryAfterSeconds: 5,
      },
    );
  }
  if (codes.includes('OAUTH_RESPONSE_BODY_ERROR')) return refusedAtExchange(String(read(error, 'error')));
  const claim = chain(error)
    .map((one) => read(one, 'claim'))
    .find((one) => typeof one === 'string');
  if (claim === 'nonce') {
    return new Refusal(
      'nonce',
      `The identity provider answered for another sign-in than this browser began: ${again}.`,
    );
  }
  if (claim === 'iss') {
    return new Refusal(
      'issuer',
      'The answer came from another identity provider than the one this installation trusts; its operator should check OIDC_ISSUER.',
    );
  }
  if (claim === 'aud' || claim === 'azp') {
    return new Refusal(
      'audience',
      'The identity provider answered for another application than this installation; its operator should check OIDC_CLIENT_ID.',
    );
  }
  if (codes.includes('OAUTH_JWT_TIMESTAMP_CHECK_FAILED')) {
    return new Refusal(
      'clock',
      'The clocks of this installation and of the identity provider are more than a day apart; set both by a time server (NTP).',
    );
  }
  return new Refusal(
    'answer',
    `What the identity provider answered cannot be trusted: it is incomplete, or its signature does not hold. ${capital(again)}; if it happens again, tell the operator of this installation.`,
  );
}

function refusedAtExchange(error: string): Refusal {
  if (error === 'invalid_grant') {
    return new Refusal(
      'code',
      `The identity provider no longer takes this sign-in: it was finished before, is too old, or belongs to another browser; ${again}.`,
    );
  }
  if (error === 'invalid_client' || error === 'unauthorized_client') {
    return new Refusal(
      'client',
      'The identity provider does not accept this installation; its operator should check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.',
    );
  }
  return refusedByProvider(error);
}

function chain(error: unknown): unknown[] {
  const found: unknown[] = [];
  for (
    let current = error;
    current !== undefined && current !== null && found.length < 6;
    current = read(current, 'cause')
  ) {
    found.push(current);
  }
  return found;
}

function read(from: unknown, name: string): unknown {
  return typeof from === 'object' && from !== null ? Reflect.get(from, name) : undefined;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
