import { sql } from 'kysely';
import { z } from 'zod';
import { findCluster } from '../../db/clusters/clusters.ts';
import { deleteOrganization as remove } from '../../db/deletions/deletions.ts';
import type { Effect } from '../../db/engine/effect.ts';
import { refuseBeyond } from '../../db/engine/limits/quota.ts';
import { lockMembers, refuseLowerRole, removeMember } from '../../db/members/members.ts';
import { membersWithoutMfa, updateOrganization as update } from '../../db/organizations/organization-settings.ts';
import {
  findOrganization,
  listMemberships,
  createOrganization as newOrganization,
  ownsFirstOrganization,
} from '../../db/organizations/organizations.ts';
import { Problem } from '../../domain/problems.ts';
import { roles } from '../../domain/roles.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { invalidField } from '../engine/input/input.ts';
import { refuseChangedMeanwhile, withWas } from '../engine/input/meanwhile.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { refuseUnfitForBuilds } from '../source-credentials/named.ts';
import {
  buildRepositoryPrefix,
  confirmedSlug,
  organizationName,
  organizationSchema,
  organizationSlug,
  refuseWrongSlug,
} from './organization.ts';

const createOrganization = operation({
  method: 'POST',
  url: '/api/v1/organizations',
  summary: 'Create an organization',
  description:
    'The caller becomes its owner. For owners of the first organization of the installation, or for everyone where ORGANIZATION_CREATORS says so. The slug is part of addresses and never changes.',
  scope: 'user',
  credentials: 'session',
  why: 'An API token belongs to one organization and cannot create another; sign in and do it in the console.',
  problems: ['slug-taken', 'role-too-low'],
  body: z.strictObject({
    name: organizationName,
    slug: organizationSlug,
  }),
  status: 201,
  result: organizationSchema,
  async handle({ caller, body, effect, server }) {
    if (
      server.settings.ORGANIZATION_CREATORS === 'owners' &&
      !(await ownsFirstOrganization(effect.kysely, caller.id))
    ) {
      throw new Problem(
        'role-too-low',
        'Only owners of the first organization of this installation can create organizations; ask one of them, or ask the operator to set ORGANIZATION_CREATORS=everyone.',
      );
    }
    await refuseBeyond(effect, {
      setting: 'ORGANIZATIONS_PER_OWNER',
      most: server.settings.ORGANIZATIONS_PER_OWNER,
      owner: caller.id,
      things: 'organizations of yours',
      rows: sql`membership where user_id = ${caller.id} and role = 'owner'`,
    });
    return await newOrganization(effect, { ...body, ownerId: caller.id });
  },
});

const deleteOrganization = operation({
  method: 'DELETE',
  url: '/api/v1/organizations/{id}',
  summary: 'Delete an organization',
  description:
    'The organization is hidden at once, and its tokens and streams end. Its owners can restore it until the retention has passed; then it is purged.',
  role: 'owner',
  credentials: 'session',
  projectTokens: 'refused',
  rate: 'deletions',
  problems: ['not-found', 'already-decided'],
  body: z.strictObject({ confirmSlug: confirmedSlug }),
  async handle({ caller, path, body, effect }) {
    const organization = caller.ownOrganization(path.id);
    refuseWrongSlug(body.confirmSlug, organization.slug);
    const deletion = await remove(effect, organization.id);
    if (deletion === undefined) throw new Problem('already-decided', 'The organization was deleted a moment ago.');
  },
});

const getOrganization = operation({
  method: 'GET',
  url: '/api/v1/organizations/{id}',
  summary: 'Get an organization',
  description: 'Must be the organization of the request; for a token, the one it was created in.',
  role: 'viewer',
  projectTokens: 'allowed',
  result: organizationSchema,
  async handle({ caller, path, database }) {
    const organization = await findOrganization(database.kysely, caller.ownOrganization(path.id).id);
    if (organization === undefined) throw new Problem('not-found', 'The organization was deleted a moment ago.');
    return organization;
  },
});

const leaveOrganization = operation({
  method: 'POST',
  url: '/api/v1/organizations/{id}/leave',
  summary: 'Leave the organization',
  description:
    'You lose access at once. API tokens that you created are revoked; invitations that you created stay. The last owner cannot leave.',
  role: 'viewer',
  credentials: 'session',
  why: 'An API token belongs to its organization and cannot leave it; revoke it instead.',
  projectTokens: 'refused',
  problems: ['not-found', 'last-owner'],
  async handle({ caller, path, effect }) {
    const { id: organizationId } = caller.ownOrganization(path.id);
    await removeMember(effect, { organizationId, userId: caller.id, asRole: caller.role });
  },
});

export const membershipSchema = z
  .object({
    organizationId: z.guid(),
    name: z.string(),
    slug: z.string(),
    role: z.enum(roles).describe('The role of the caller there.'),
    requireMfa: z.boolean(),
    callerId: z.guid().describe('The id by which changes name the caller: of a token that of the person who made it.'),
  })
  .meta({ id: 'Membership' });

const listOrganizations = operation({
  method: 'GET',
  url: '/api/v1/organizations',
  summary: 'List the organizations of the caller, oldest first',
  description: 'The organizations of the person; for a token, the one it was created in.',
  scope: 'user',
  paged: { after: createdPosition },
  result: membershipSchema,
  async handle({ caller, database, page }) {
    if (caller.userId === undefined) {
      const items = caller.memberships.map((one) => ({ ...one, organizationId: one.id, callerId: caller.countsAs.id }));
      return { items, after: undefined };
    }
    const found = await listMemberships(database.kysely, caller.userId, oneMore(page));
    const answer = (membership: (typeof found)[number]) => ({ ...membership, callerId: caller.countsAs.id });
    return pageOf(found, page, answer, ({ organizationId }) => organizationId);
  },
});

const updateOrganization = operation({
  method: 'PATCH',
  url: '/api/v1/organizations/{id}',
  summary: 'Update an organization',
  description:
    'Omitted fields keep their values; `null` removes a setting. The slug cannot be changed. `requireMfa` is switched with a session, and switched on only by one that began with a second factor; every stream of the organization then closes, and sessions without a second factor are refused at once.',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'session-required', 'mfa-required', 'members-without-mfa', 'changed-meanwhile'],
  body: withWas(
    z.strictObject({
      name: organizationName.optional(),
      defaultClusterId: z.guid().toLowerCase().nullable().optional(),
      buildRegistryCredentialId: z.guid().toLowerCase().nullable().optional(),
      buildRepositoryPrefix: buildRepositoryPrefix.nullable().optional(),
      requireMfa: z.boolean().optional(),
    }),
  ).extend({
    confirmMembersWithoutMfa: z
      .boolean()
      .optional()
      .describe('Switch `requireMfa` on although it locks out members until they set up a second factor.'),
  }),
  result: organizationSchema,
  async handle({ caller, path, body, effect }) {
    const { id } = caller.ownOrganization(path.id);
    refuseLowerRole(await lockMembers(effect, id, caller.role), 'admin');
    const before = await findOrganization(effect.kysely, id);
    if (before === undefined) throw new Problem('not-found', 'The organization was deleted a moment ago.');
    const { confirmMembersWithoutMfa = false, was, ...changes } = body;
    const subject = { organizationId: id, kind: 'organization', id };
    await refuseChangedMeanwhile(effect.kysely, subject, { is: before, was, wanted: changes });
    if (changes.requireMfa !== undefined && changes.requireMfa !== before.requireMfa) {
      refuseTokens(caller);
      if (changes.requireMfa) await refuseLockingOut(effect, caller, confirmMembersWithoutMfa);
    }
    if (changes.defaultClusterId != null) await refuseStrangeCluster(effect, id, changes.defaultClusterId);
    await refuseUnfitForBuilds(effect, caller, changes.buildRegistryCredentialId);
    return await update(effect, before, changes);
  },
});

async function refuseStrangeCluster(effect: Effect, organizationId: string, value: string): Promise<void> {
  const cluster = await findCluster(effect.kysely, organizationId, value);
  if (cluster !== undefined && cluster.state !== 'deleting') return;
  const message = 'is no cluster of this organization, or one that is being deleted';
  throw invalidField('body.defaultClusterId', message, value);
}

function refuseTokens(caller: OrganizationCaller): void {
  if (caller.credential.kind === 'session') return;
  throw new Problem(
    'session-required',
    'An API token cannot switch the second factor on or off; sign in and do it in the console.',
  );
}

/** The caller must pass the requirement, and is warned before it locks out others. */
async function refuseLockingOut(effect: Effect, caller: OrganizationCaller, confirmed: boolean): Promise<void> {
  if (!caller.mfa) {
    throw new Problem(
      'mfa-required',
      'You would lock yourself out: sign in with a second factor first, then require it of everybody.',
    );
  }
  if (confirmed) return;
  const { count, names } = await membersWithoutMfa(effect.kysely, caller.organization.id, caller.userId);
  if (count === 0) return;
  const who = `${names.join(', ')}${count > names.length ? ` and ${count - names.length} more` : ''}`;
  const did = count === 1 ? '1 other member did not use a' : `${count} other members did not use a`;
  throw new Problem(
    'members-without-mfa',
    `${did} second factor at the last sign-in and would be locked out until they set one up: ${who}. Ask them first, or confirm that they are locked out.`,
    { errors: [{ location: 'body.confirmMembersWithoutMfa', message: 'must be true to lock them out', value: false }] },
  );
}

export const organizations = {
  list: listOrganizations,
  create: createOrganization,
  get: getOrganization,
  update: updateOrganization,
  delete: deleteOrganization,
  leave: leaveOrganization,
};
