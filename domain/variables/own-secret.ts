/** Ends of names by which frameworks call a key that signs or encrypts what the service alone reads: any value does. */
const ends = ['SECRET', 'SECRET_KEY', 'SECRET_KEY_BASE', 'SIGNING_KEY', 'SESSION_KEY', 'COOKIE_KEY', 'PEPPER', 'SALT'];

/** What others give out, although its name ends alike. */
const foreign = /CLIENT|WEBHOOK|AWS|S3|STRIPE|GITHUB|GITLAB|GOOGLE|OAUTH|OIDC|SAML|SLACK|TWILIO|API/;

/** Proposed in forms: nobody's variable gets a generated value by its name alone. */
export function isOwnSecret(key: string): boolean {
  const name = key.toUpperCase();
  return !foreign.test(name) && ends.some((end) => name === end || name.endsWith(`_${end}`));
}
