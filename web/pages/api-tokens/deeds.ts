import { after, type Deeds, type Kinds, plainDeeds } from '../audit-log/deed.ts';

export const kinds: Kinds<'api_token'> = { api_token: 'API tokens' };

export const deeds: Deeds<'api_token'> = {
  ...plainDeeds('api_token', 'the API token'),
  'api_token.created': {
    label: 'Created',
    done: ({ name, details }) => `created the API token ${name}${after(' with the role ', details.role)}`,
  },
  'api_token.exchanged': {
    label: 'Issued to a CI job',
    done: ({ name, details }) => `received the API token ${name}${after(' with the role ', details.role)}`,
  },
};
