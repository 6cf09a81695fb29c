import { sql } from 'kysely';
import { type Finder, foundColumns } from '../search/finder.ts';

/** Open and expired ones: who accepted is a member. */
export const foundInvitations: Finder = {
  kind: 'invitation',
  select: (organizationId, text) => sql`
    select ${foundColumns(text, 'invitation', { id: sql`invitation.id`, name: sql`invitation.email`, state: sql`case when invitation.expires_at <= now() then 'expired' end` })}
    from invitation
    where invitation.organization_id = ${organizationId} and invitation.revoked_at is null and invitation.accepted_at is null`,
};
