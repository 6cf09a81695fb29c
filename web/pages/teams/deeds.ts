import type { Deeds, Kinds } from '../audit-log/deed.ts';
import { plainDeeds, setDeed } from '../audit-log/plain-deeds.ts';

export const kinds: Kinds<'team'> = { team: 'Teams' };

export const deeds: Deeds<'team'> = {
  ...plainDeeds('team', 'the team'),
  'team.members_set': setDeed('member', 'the team'),
};
