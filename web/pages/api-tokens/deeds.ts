import { type Deeds, plainDeed, plainDeeds } from '../audit-log/deed.ts';

export const kinds = { api_token: 'API tokens' };

export const deeds: Deeds<'api_token'> = {
  ...plainDeeds('api_token', 'the API token'),
  'api_token.created': plainDeed('Created', 'created the API token', { role: ' with the role ' }),
  'api_token.exchanged': plainDeed('Issued to a CI job', 'received the API token', { role: ' with the role ' }),
};
