import { z } from 'zod';
import { findCluster } from '../../db/clusters/clusters.ts';
import type { Effect } from '../../db/engine/effect.ts';
import { lockMembers, refuseLowerRole } from '../../db/members/members.ts';
import { membersWithoutMfa, updateOrganization as update } from '../../db/organizations/organization-settings.ts';
import { findOrganization } from '../../db/organizations/organizations.ts';
import { Problem } from '../../domain/problems.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { invalidFields } from '../engine/input/input.ts';
import { refuseChangedMeanwhile, withWas } from '../engine/input/meanwhile.ts';
import { operation } from '../engine/operation.ts';
import { refuseUnfitForBuilds } from '../source-credentials/named.ts';
import {
  buildRepositoryPrefix,
  organizationAnswer,
  organizationName,
  organizationPath,
  organizationSchema,
} from './organization.ts';

export const updateOrganization = operation({
  method: 'PATCH',
  url: '/api/v1/organizations/{id}',
  summary: 'Update an organization',
  description:
    'Omitted fields keep their values; `null` removes a setting. The slug cannot be changed. `requireMfa` is switched with a session, and switched on only by one that began with a second factor; every stream of the organization then closes, and sessions without a second factor are refused at once.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'session-required', 'mfa-required', 'members-without-mfa', 'changed-meanwhile'],
  path: organizationPath,
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
    return organizationAnswer(await update(effect, before, changes));
  },
});

async function refuseStrangeCluster(effect: Effect, organizationId: string, value: string): Promise<void> {
  const cluster = await findCluster(effect.kysely, organizationId, value);
  if (cluster !== undefined && cluster.state !== 'deleting') return;
  const message = 'is no cluster of this organization, or one that is being deleted';
  throw invalidFields([{ location: 'body.defaultClusterId', message, value }]);
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
