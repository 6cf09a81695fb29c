import { createHmac } from 'node:crypto';
import { hashSecret } from '../../db/keys/secrets.ts';

/**
 * Binds a sign-in to the browser that started it: everything derives from the secret in the browser's `svc_oidc`, so a
 * code, a state or a row of the database is of no use in another browser.
 */
export interface BrowserSecret {
  state: string;
  nonce: string;
  codeVerifier: string;
  /** The lookup key of the attempt. */
  browserHash: Buffer;
  stateHash: Buffer;
}

export function fromBrowserSecret(secret: string): BrowserSecret {
  const derived = (label: string) =>
    createHmac('sha256', secret).update(`ballast sign-in: ${label}`).digest('base64url');
  const state = derived('state');
  return {
    state,
    nonce: derived('nonce'),
    codeVerifier: derived('code verifier'),
    browserHash: hashSecret(secret),
    stateHash: hashSecret(state),
  };
}
