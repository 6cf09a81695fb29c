/** Roles of a person in an organization. A token never has the role `owner`. */
export const roles = ['viewer', 'deployer', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

export const tokenRoles = ['viewer', 'deployer', 'admin'] as const;
export type TokenRole = (typeof tokenRoles)[number];

/** Roles are a ladder: each one may do all that the ones below it may. */
export function mayActAs(held: Role, needed: Role): boolean {
  return roles.indexOf(held) >= roles.indexOf(needed);
}

/** The lower one of two roles. */
export function lowerRole<Held extends Role>(held: Held, bound: Role): Held | Role {
  return mayActAs(bound, held) ? held : bound;
}
