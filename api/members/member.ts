import { z } from 'zod';
import { findMember, type MemberView } from '../../db/members/members.ts';
import { roles } from '../../domain/roles.ts';
import { resource } from '../engine/resource.ts';

export const theMember = resource('member', findMember);

export const memberSchema = z
  .object({
    userId: z.guid(),
    name: z.string(),
    email: z.string(),
    picture: z.string().optional(),
    role: z.enum(roles),
    mfa: z.boolean().describe('Whether the last sign-in passed a second factor.'),
    createdAt: z.iso.datetime().describe('When the person came into the organization.'),
    lastActiveAt: z.iso.datetime().optional().describe('To the minute.'),
    teams: z.array(z.object({ id: z.guid(), name: z.string() })),
  })
  .meta({ id: 'Member' });

export const memberPath = z.strictObject({ id: z.guid(), userId: z.guid().toLowerCase() });

export function memberAnswer(member: MemberView): z.output<typeof memberSchema> {
  const { picture, createdAt, lastActiveAt, ...rest } = member;
  return {
    ...rest,
    ...(picture === null ? {} : { picture }),
    createdAt: createdAt.toISOString(),
    ...(lastActiveAt === null ? {} : { lastActiveAt: lastActiveAt.toISOString() }),
  };
}
