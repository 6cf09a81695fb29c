import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { sql } from 'kysely';
import type { JWK } from 'oidc-provider';
import { v7 as uuid } from 'uuid';
import { sealIdentity, unsealIdentity } from '../../db/keys/identity-secrets.ts';
import type { Database } from '../../db/postgres/database.ts';

/** The keys that id tokens are signed with. The first process that finds none makes one; the others wait for it. */
export async function signingKeys(database: Database, key: Buffer): Promise<JWK[]> {
  return await database.kysely.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('ballast identity signing keys', 0))`.execute(transaction);
    const rows = await transaction
      .selectFrom('provider_key')
      .select(['id', 'private_key as privateKey'])
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .execute();
    if (rows.length > 0) return rows.map(({ id, privateKey }) => opened(key, id, privateKey));
    const made = newKey();
    await transaction
      .insertInto('provider_key')
      .values({ id: made.kid, private_key: sealIdentity(key, JSON.stringify(made), bound(made.kid)) })
      .execute();
    return [made];
  });
}

function opened(key: Buffer, id: string, sealed: Buffer): JWK {
  return JSON.parse(unsealIdentity(key, sealed, bound(id)));
}

function bound(id: string): string {
  return `provider_key:${id}:private_key`;
}

function newKey(): JWK & { kid: string } {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk: JsonWebKey = privateKey.export({ format: 'jwk' });
  return { ...jwk, kty: 'EC', kid: uuid(), use: 'sig', alg: 'ES256' };
}
