import { sql } from 'kysely';
import { type Finder, foundColumns } from '../search/finder.ts';

/** None while it works. */
const tokenState = sql`case when api_token.revoked_at is not null then 'revoked' when api_token.expires_at <= now() then 'expired' end`;

export const foundTokens: Finder = {
  kind: 'token',
  select: (organizationId, text) => sql`
    select ${foundColumns(text, 'token', { id: sql`api_token.id`, name: sql`api_token.name`, state: tokenState })}
    from api_token where api_token.organization_id = ${organizationId}`,
};
