/** Words of secrets that are one's own: those of others (STRIPE_SECRET_KEY, CLIENT_SECRET) nobody can make up. */
const ownWords = new Set(
  (
    'ACCESS ADMIN API APP APPLICATION AUTH AUTHJS BETTER COOKIE CRON CSRF DATA DJANGO EMAIL ENCRYPTION FLASK HASH INTERNAL IRON JWT KEY ' +
    'KEYS BASE LARAVEL LINK MAGIC MASTER NEXT NEXTAUTH PAYLOAD RAILS REFRESH SALT SECRET SECRETS SERVER SESSION SESSIONS SIGNING TOKEN TRANSFER VERIFICATION'
  ).split(' '),
);
const ending =
  /(?:SECRET|SECRETS|SALT|SECRET_KEY|SECRET_KEY_BASE|ENCRYPTION_KEY|SIGNING_KEY|MASTER_KEY|APP_KEYS?|HASH_KEY)$/;

/**
 * Whether a key signs or encrypts, by its name, only what the service itself reads: then any value does. Proposed in forms and templates;
 * nobody's variable gets a generated value by its name alone.
 */
export function isOwnSecret(key: string): boolean {
  const name = key.toUpperCase();
  return ending.test(name) && name.split('_').every((part) => ownWords.has(part));
}
