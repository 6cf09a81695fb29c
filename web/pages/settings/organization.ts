import type { Answers } from '../../control-plane/session.ts';

export type Organization = Answers['organizations']['get'];
