import { sql } from 'kysely';
import type { Effect } from '../../db/engine/effect.ts';
import { refuseBeyond } from '../../db/engine/limits/quota.ts';
import type { Settings } from '../../domain/settings/settings.ts';

/** Refuses one more API token than an organization may have: counting those that work, of all members. */
export async function refuseTooManyTokens(effect: Effect, settings: Settings, organizationId: string): Promise<void> {
  await refuseBeyond(effect, {
    setting: 'TOKENS_PER_ORGANIZATION',
    most: settings.TOKENS_PER_ORGANIZATION,
    owner: organizationId,
    things: 'API tokens that work in this organization',
    rows: sql`api_token where organization_id = ${organizationId} and revoked_at is null
      and (expires_at is null or expires_at > now())`,
    remedy: 'revoke one that is not needed',
  });
}
