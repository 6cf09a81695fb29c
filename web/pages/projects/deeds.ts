import { clockDeeds, type Deeds, type Kinds, plainDeeds, updatedDeed } from '../audit-log/deed.ts';

export const kinds: Kinds<'project'> = { project: 'Projects' };

export const deeds: Deeds<'project'> = {
  ...plainDeeds('project', 'the project'),
  ...clockDeeds('project', 'the project'),
  'project.updated': updatedDeed('the project'),
};
