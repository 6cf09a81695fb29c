import type { Affected } from '../../live/affected.ts';
import type { Deeds, Kinds } from '../audit-log/deed.ts';
import { plainDeeds } from '../audit-log/plain-deeds.ts';

export const kinds: Kinds<'git_connection'> = { git_connection: 'Git connections' };

export const affected: Affected<'git_connection'> = { git_connection: () => [] };

const thing = 'the Git connection';

export const deeds: Deeds<'git_connection'> = {
  ...plainDeeds('git_connection', thing),
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
