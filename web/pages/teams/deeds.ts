import { type Deeds, type Kinds, plainDeeds, setDeed } from '../audit-log/deed.ts';

export const kinds: Kinds<'team'> = { team: 'Teams' };

export const deeds: Deeds<'team'> = {
  ...plainDeeds('team', 'the team'),
  'team.members_set': setDeed('member', 'the team'),
};
