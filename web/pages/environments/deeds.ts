import { clockDeeds, count, type Deeds, plainDeed, plainDeeds, updatedDeed } from '../audit-log/deed.ts';

export const kinds = { environment: 'Environments', change_set: 'Change sets' };

const changes = (items: unknown) => (items === undefined ? 'changes' : count(items, 'change'));

export const deeds: Deeds<'environment' | 'change_set'> = {
  ...plainDeeds('environment', 'the environment'),
  ...clockDeeds('environment', 'the environment'),
  'environment.updated': updatedDeed('the environment'),
  'change_set.staged': {
    label: 'Staged',
    done: ({ name, details }) => `staged ${changes(details.items)} in ${name}`,
  },
  'change_set.unstaged': plainDeed('Unstaged', 'removed a staged change from'),
  'change_set.discarded': plainDeed('Discarded', 'discarded the staged changes of'),
  'change_set.retried': plainDeed('Retried', 'retried a change set in'),
  'change_set.reverted': plainDeed('Reverted', 'reverted a change set in'),
  'change_set.cancelled': plainDeed('Cancelled', 'cancelled a change set in'),
  'change_set.applied': {
    label: 'Applied',
    done: ({ name, details }) => `applied ${changes(details.items)} to ${name}`,
  },
};
