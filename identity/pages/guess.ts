import type { Guess } from '../accounts/passwords/guesses.ts';
import { knownBrowser } from '../accounts/passwords/known-browser.ts';
import type { PageParts } from './parts.ts';
import type { Visit } from './visit.ts';

/** A guess at the account with this address, as it is counted. */
export function guessAt(email: string, { keyring }: PageParts, { address, request }: Visit): Guess {
  return { email, address, browser: knownBrowser(keyring.identityKey(), request.headers.cookie, email) };
}
