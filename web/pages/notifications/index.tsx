import { type Affected, all } from '../../live/affected.ts';

export const affected: Affected<'notification'> = { notification: (trpc) => [all(trpc.notifications)] };
