import type { Effect } from '../../db/engine/effect.ts';
import { endFirstOwnerRights } from '../../db/identity-provider/provider-accounts.ts';
import { addMember } from '../../db/members/members.ts';
import { createOrganization, findOrganizationBySlug } from '../../db/organizations/organizations.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { lockFirstOwner, ownerExists } from '../../db/sign-in/sign-in-links.ts';
import { Refusal } from './refusal.ts';

/** Makes somebody the first owner: of the organization `default`. */
export async function becomeFirstOwner(effect: Effect, userId: string): Promise<void> {
  await lockFirstOwner(effect.kysely);
  if (await ownerExists(effect.kysely)) {
    throw new Refusal(
      'owner-exists',
      'Somebody became the owner of this installation before you did, so the link has expired; ask to be invited.',
    );
  }
  await endFirstOwnerRights(effect);
  const organization =
    (await findOrganizationBySlug(effect.kysely, 'default')) ??
    (await createOrganization(effect, { name: 'Default', slug: 'default' }));
  // Without an owner nobody could remove or promote existing members.
  await tenant(effect.kysely, organization.id).deleteFrom('membership').where('user_id', '=', userId).execute();
  await addMember(effect, { organizationId: organization.id, userId, role: 'owner' });
}
