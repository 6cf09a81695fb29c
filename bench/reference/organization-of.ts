import { createHash, timingSafeEqual } from 'node:crypto';
import type { Pool } from 'pg';
import { tokenQuery } from './statements.ts';

interface TokenRow {
  secretHash: Buffer;
  valid: boolean;
  organizationId: string;
}

/** The organization of the token, if it is valid. */
export async function organizationOf(pool: Pool, authorization: string | undefined): Promise<string | undefined> {
  const [, tokenId, secret] = /^Bearer svc_([A-Za-z0-9]+)_([A-Za-z0-9_-]+)$/.exec(authorization ?? '') ?? [];
  if (tokenId === undefined || secret === undefined) return undefined;
  const { rows } = await pool.query<TokenRow>({ name: 'token', text: tokenQuery, values: [tokenId] });
  const [token] = rows;
  if (token === undefined || !token.valid) return undefined;
  const same = timingSafeEqual(token.secretHash, createHash('sha256').update(secret).digest());
  return same ? token.organizationId : undefined;
}
