import { sql } from 'kysely';
import { type Finder, foundColumns } from '../search/finder.ts';

export const foundTrustedIssuers: Finder = {
  kind: 'trusted-issuer',
  select: (organizationId, text) => sql`
    select ${foundColumns(text, 'trusted-issuer', { id: sql`trusted_issuer.id`, name: sql`trusted_issuer.name`, detail: sql`trusted_issuer.issuer` })}
    from trusted_issuer where trusted_issuer.organization_id = ${organizationId}`,
};
