import type { Answers } from '../../control-plane/session.ts';

export type Team = Answers['teams']['list']['items'][number];
