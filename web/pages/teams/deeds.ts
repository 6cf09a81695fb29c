import { type Deeds, plainDeeds, setDeed } from '../audit-log/deed.ts';

export const kinds = { team: 'Teams' };

export const deeds: Deeds<'team'> = {
  ...plainDeeds('team', 'the team'),
  'team.members_set': setDeed('member', 'the team'),
};
