import type { Plane } from '../../control-plane/plane.ts';
import type { Answers } from '../../control-plane/session.ts';

export type Member = Answers['members']['list']['items'][number];

export const membersKey = (trpc: Plane['trpc']) => [...trpc.members.list.pathKey(), 'page by page'];
