import { type Role, roles, type TokenRole, tokenRoles } from '../../../domain/roles.ts';

/** Names of the roles, and the rights of each beyond the one below it. */
export const roleWords: Record<Role, { name: string; may: string }> = {
  viewer: { name: 'Viewer', may: 'Can see clusters, logs, members and teams, and change nothing.' },
  deployer: { name: 'Deployer', may: 'Can also deploy and run applications.' },
  admin: { name: 'Admin', may: 'Can also change clusters, members, tokens and settings.' },
  owner: { name: 'Owner', may: 'Can also appoint owners and delete the organization.' },
};

const choicesOf = <Of extends Role>(some: readonly Of[]) =>
  some.map((role) => ({ value: role, label: roleWords[role].name, hint: roleWords[role].may }));

/** Roles that somebody of this role can give to a person. Only owners give the role owner. */
export const roleChoices = (by: Role) => choicesOf(rolesGivenBy(by));

/** Roles of a token. */
export const tokenRoleChoices = choicesOf<TokenRole>(tokenRoles);

export function rolesGivenBy(role: Role): readonly Role[] {
  return role === 'owner' ? roles : roles.filter((one) => one !== 'owner');
}
