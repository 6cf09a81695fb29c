import { Secret, TOTP } from 'otpauth';

/**
 * The code that an authenticator app shows, some steps of 30 seconds from now. A test that uses more than one asks for all
 * of them at once: a step may end at any moment, while the next code is good for at least a minute.
 */
export function totpOf(secret: string, steps = 0): string {
  return TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: Date.now() + steps * 30_000 });
}

/** The secret that a page shows to be typed. */
export function secretIn(text: string): string {
  const secret = /Or type it: <code>([A-Z2-7 ]+)<\/code>/.exec(text)?.[1];
  if (secret === undefined) throw new Error('The page shows no secret.');
  return secret.replaceAll(' ', '');
}
