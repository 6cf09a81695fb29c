import { type Deeds, why } from '../audit-log/deed.ts';

export const kinds = { 'agent-update': 'Agent updates' };

export const deeds: Deeds<'agent-update'> = {
  'agent-update.failed': {
    label: 'Failed',
    done: ({ details }) => `marked the update of an agent as failed${why(details)}`,
  },
};
