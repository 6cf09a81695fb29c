import { z } from 'zod';
import { Problem } from '../../../domain/problems.ts';
import type { Caller, CallerMembership, OrganizationCaller } from '../caller.ts';
import type { Access } from '../definition.ts';
import type { Incoming } from '../input/incoming.ts';

const organizationId = z.guid();

/** The caller in the organization that the request is about: the token's own, or the one that the header names. */
export function chosenOrganization(incoming: Incoming, caller: Caller, access: Access): OrganizationCaller | undefined {
  const header = incoming.headers['x-svc-organization'];
  if (header !== undefined && !organizationId.safeParse(header).success) {
    throw new Problem(
      'organization-header-malformed',
      'X-Svc-Organization does not hold the id of an organization; GET /api/v1/organizations lists yours.',
    );
  }
  const wanted = typeof header === 'string' ? header.toLowerCase() : undefined;
  if (wanted === undefined && caller.credential.kind === 'session') {
    if (access.scope !== 'organization') return undefined;
    throw new Problem(
      'organization-header-missing',
      'A request with a session must name its organization in X-Svc-Organization; GET /api/v1/organizations lists yours.',
    );
  }
  const membership = caller.memberships.find(({ id }) => wanted === undefined || id === wanted);
  if (membership === undefined) {
    throw new Problem(
      'wrong-organization',
      caller.credential.kind === 'token'
        ? 'X-Svc-Organization names another organization than the one the token belongs to; leave the header out.'
        : 'X-Svc-Organization names an organization that you do not belong to; GET /api/v1/organizations lists yours.',
    );
  }
  if (access.scope === 'organization') refuseWithoutMfa(caller, membership);
  return caller.in(membership);
}

/** Tokens are made by people who were admitted; of people, an organization may want a second factor. */
function refuseWithoutMfa(caller: Caller, { name, requireMfa }: CallerMembership): void {
  if (!requireMfa || caller.credential.kind === 'token' || caller.mfa) return;
  throw new Problem(
    'mfa-required',
    `The organization ${name} requires a sign-in with a second factor: set one up with your identity provider (for an account of this installation at /oidc/account), sign out, and sign in again.`,
  );
}
