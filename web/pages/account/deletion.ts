import type { Answers } from '../../control-plane/session.ts';

export type Deletion = Answers['deletedOrganizations']['list']['items'][number];
