import { Problem } from '../../../domain/problems.ts';
import { mayActAs } from '../../../domain/roles.ts';
import type { Caller, OrganizationCaller } from '../caller.ts';
import type { Access } from '../operation.ts';

/** Whether this caller, with this credential and this role, may do what the operation does at all. */
export function checkPermission(caller: Caller, chosen: OrganizationCaller | undefined, access: Access): void {
  if (access.scope === 'public') return;
  if (access.credentials !== undefined && access.credentials !== caller.credential.kind) {
    throw access.credentials === 'session'
      ? new Problem('session-required', access.why ?? 'An API token cannot do this; sign in and do it in the console.')
      : new Problem(
          'token-required',
          access.why ?? 'Only an API token can do this; create one and send it instead of the session.',
        );
  }
  if (access.scope !== 'organization' || chosen === undefined) return;
  if (!mayActAs(chosen.role, access.role)) {
    throw new Problem(
      'role-too-low',
      `This needs the role ${access.role}, and yours in this organization is ${chosen.role}; ask an administrator.`,
    );
  }
  if (access.projectTokens === 'refused' && chosen.isLimitedToProjects) {
    throw new Problem(
      'project-restricted',
      'A token that is limited to chosen projects cannot do this; use another one.',
    );
  }
}
