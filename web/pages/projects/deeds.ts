import type { Deeds, Kinds } from '../audit-log/deed.ts';
import { clockDeeds, plainDeeds, updatedDeed } from '../audit-log/plain-deeds.ts';

export const kinds: Kinds<'project'> = { project: 'Projects' };

export const deeds: Deeds<'project'> = {
  ...plainDeeds('project', 'the project'),
  ...clockDeeds('project', 'the project'),
  'project.updated': updatedDeed('the project'),
};
