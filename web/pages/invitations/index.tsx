import { type Affected, one } from '../../live/affected.ts';

export const affected: Affected<'invitation'> = {
  invitation: (trpc, id) => [one(trpc.invitations, id)],
};
