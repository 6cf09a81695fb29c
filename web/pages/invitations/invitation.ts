import type { Answers } from '../../control-plane/session.ts';

export type Invitation = Answers['invitations']['list']['items'][number];
