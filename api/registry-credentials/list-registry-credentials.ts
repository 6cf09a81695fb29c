import { listRegistryCredentials as list } from '../../db/registry-credentials/registry-credentials.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { registryCredentialAnswer, registryCredentialSchema } from './registry-credential.ts';

export const listRegistryCredentials = operation({
  method: 'GET',
  url: '/api/v1/registry-credentials',
  summary: 'List the credentials of outside registries, oldest first',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: [],
  paged: { after: createdPosition },
  result: registryCredentialSchema,
  async handle({ caller, page, database }) {
    const found = await list(database.kysely, caller.organization.id, oneMore(page));
    return pageOf(found, page, ({ id }) => id, registryCredentialAnswer);
  },
});
