import type { Subjects } from './subjects.ts';

type Actions<List extends 'actions' | 'retired'> = {
  [Kind in keyof Subjects]: Subjects[Kind] extends Record<List, readonly (infer Action extends string)[]>
    ? `${Kind}.${Action}`
    : never;
}[keyof Subjects];

/** Every action that the audit log of an organization records, as `<kind>.<what was done>`. */
export type OrganizationAction = Actions<'actions'>;

/** Names that are no longer written. Records that have them stay, so their words do, too. */
export type RetiredAction = Actions<'retired'>;

/** Actions that concern the installation alone: no organization's log has them. */
export type InstallationAction =
  | 'session.created'
  | 'session.ended'
  | 'sign_in.refused'
  | 'sign_in_link.created'
  | 'sign_in_link.used'
  | 'identity.bound'
  | 'identity.removed'
  | 'user.created'
  | 'user.disabled'
  | 'user.enabled'
  | 'user.email_verified'
  | 'account.created'
  | 'account.password_changed'
  | 'account.reset'
  | 'account.recovery_code_used'
  | 'account.recovery_codes_renewed'
  | 'account.second_factor_added'
  | 'account.second_factor_removed';

export type AuditAction = OrganizationAction | InstallationAction;
