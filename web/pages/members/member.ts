import type { Answers } from '../../control-plane/session.ts';

export type Member = Answers['members']['list']['items'][number];
