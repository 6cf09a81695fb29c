import { type Role, roles, type TokenRole, tokenRoles } from '../../../domain/roles.ts';
import { RadioField } from './radios.tsx';

/** Names of the roles, and the rights of each beyond the one below it. */
export const roleWords: Record<Role, { name: string; may: string }> = {
  viewer: { name: 'Viewer', may: 'Can see clusters, logs, members and teams, and change nothing.' },
  deployer: { name: 'Deployer', may: 'Can also deploy and run applications.' },
  admin: { name: 'Admin', may: 'Can also change clusters, members, tokens and settings.' },
  owner: { name: 'Owner', may: 'Can also appoint owners and delete the organization.' },
};

const choicesOf = <Of extends Role>(some: readonly Of[]) =>
  some.map((role) => ({ value: role, label: roleWords[role].name, hint: roleWords[role].may }));

/** Chooses what a person may do. Only owners give the role owner. */
export function RoleField({ value, onChange, by }: { value: Role; onChange: (role: Role) => void; by: Role }) {
  return <RadioField label="Role" value={value} onChange={onChange} choices={choicesOf(rolesGivenBy(by))} />;
}

/** Chooses what a token may do. */
export function TokenRoleField({ value, onChange }: { value: TokenRole; onChange: (role: TokenRole) => void }) {
  return <RadioField label="Role" value={value} onChange={onChange} choices={choicesOf(tokenRoles)} />;
}

export function rolesGivenBy(role: Role): readonly Role[] {
  return role === 'owner' ? roles : roles.filter((one) => one !== 'owner');
}
