import { MembershipSchema } from './membership.ts';

export const members = [MembershipSchema] as const;
