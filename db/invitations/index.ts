import { InvitationSchema } from './invitation.ts';

export const invitations = [InvitationSchema] as const;
