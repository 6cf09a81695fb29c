import { Problem } from '../../../domain/problems.ts';
import { mayActAs } from '../../../domain/roles.ts';
import type { Caller, OrganizationCaller } from '../caller.ts';
import type { Access } from '../definition.ts';

/** Whether this caller, with this credential and this role, may do what the operation does at all. */
export function checkPermission(caller: Caller, chosen: OrganizationCaller | undefined, access: Access): void {
  const problem = refusal(caller, chosen, access);
  if (problem !== undefined) throw problem;
}

/** Whether this caller may do what the operation does, for those who show only that. */
export function isPermitted(caller: OrganizationCaller, access: Access): boolean {
  return refusal(caller, caller, access) === undefined;
}

function refusal(caller: Caller, chosen: OrganizationCaller | undefined, access: Access): Problem | undefined {
  if (access.scope === 'public') return undefined;
  if (access.credentials !== undefined && access.credentials !== caller.credential.kind) {
    return access.credentials === 'session'
      ? new Problem('session-required', access.why ?? 'An API token cannot do this; sign in and do it in the console.')
      : new Problem(
          'token-required',
          access.why ?? 'Only an API token can do this; create one and send it instead of the session.',
        );
  }
  if (access.scope !== 'organization' || chosen === undefined) return undefined;
  if (!mayActAs(chosen.role, access.role)) {
    return new Problem(
      'role-too-low',
      `This needs the role ${access.role}, and yours in this organization is ${chosen.role}; ask an administrator.`,
    );
  }
  if (access.projectTokens === 'refused' && chosen.isLimitedToProjects) {
    return new Problem(
      'project-restricted',
      'A token that is limited to chosen projects cannot do this; use another one.',
    );
  }
  return undefined;
}
