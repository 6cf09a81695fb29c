import { listRegistryCredentials as list } from '../../db/registry-credentials/registry-credentials.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { usedForOf } from '../source-credentials/projects-field.ts';
import { registryCredentialAnswer, registryCredentialSchema } from './registry-credential.ts';

export const listRegistryCredentials = operation({
  method: 'GET',
  url: '/api/v1/registry-credentials',
  summary: 'List the credentials of outside registries, oldest first',
  description: 'A token that is limited to projects sees those that one of these may use.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'allowed',
  problems: [],
  paged: { after: createdPosition },
  result: registryCredentialSchema,
  async handle({ caller, page, database }) {
    const found = await list(database.kysely, caller.organization.id, usedForOf(caller), oneMore(page));
    return pageOf(
      found,
      page,
      ({ id }) => id,
      (credential) => registryCredentialAnswer(caller, credential),
    );
  },
});
