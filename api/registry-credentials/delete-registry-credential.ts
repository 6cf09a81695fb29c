import { deleteRegistryCredential as remove } from '../../db/registry-credentials/registry-credentials.ts';
import { operation } from '../engine/operation.ts';
import { registryCredentialPath, theRegistryCredential } from './registry-credential.ts';

export const deleteRegistryCredential = operation({
  method: 'DELETE',
  url: '/api/v1/registry-credentials/{id}',
  summary: 'Delete a credential of an outside registry',
  description: 'Sources that name it no longer resolve, and machines that lack an image of them cannot fetch it.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found'],
  path: registryCredentialPath,
  async handle({ caller, path, effect }) {
    const credential = await caller.see(theRegistryCredential, path.id, effect.kysely);
    await remove(effect, caller.organization.id, credential);
  },
});
