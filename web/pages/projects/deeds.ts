import { clockDeeds, type Deeds, plainDeeds, updatedDeed } from '../audit-log/deed.ts';

export const kinds = { project: 'Projects' };

export const deeds: Deeds<'project'> = {
  ...plainDeeds('project', 'the project'),
  ...clockDeeds('project', 'the project'),
  'project.updated': updatedDeed('the project'),
};
