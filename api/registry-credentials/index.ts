import { createRegistryCredential } from './create-registry-credential.ts';
import { deleteRegistryCredential } from './delete-registry-credential.ts';
import { listRegistryCredentials } from './list-registry-credentials.ts';
import { updateRegistryCredential } from './update-registry-credential.ts';

export const registryCredentials = {
  list: listRegistryCredentials,
  create: createRegistryCredential,
  update: updateRegistryCredential,
  delete: deleteRegistryCredential,
};
