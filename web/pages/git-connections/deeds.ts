import { type Deeds, plainDeeds, updatedDeed } from '../audit-log/deed.ts';

export const kinds = { git_connection: 'Git connections' };

const thing = 'the Git connection';

export const deeds: Deeds<'git_connection'> = {
  ...plainDeeds('git_connection', thing),
  'git_connection.updated': updatedDeed(thing),
  'git_connection.checked': {
    label: 'Checked',
    done: ({ name, details }) =>
      `checked ${thing} ${name}${details.failed === true ? ': its host refused it or did not answer' : ''}`,
  },
  'git_connection.webhook_secret_replaced': {
    label: 'Webhook secret replaced',
    done: ({ name }) => `replaced the secret of the webhook of ${thing} ${name}`,
  },
};
