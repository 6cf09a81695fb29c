import { z } from 'zod';
import {
  findRegistryCredential,
  type RegistryCredentialView,
} from '../../db/registry-credentials/registry-credentials.ts';
import { resource } from '../engine/resource.ts';

export const theRegistryCredential = resource('registry credential', findRegistryCredential);

export const registryCredentialSchema = z
  .object({
    id: z.guid(),
    name: z.string(),
    host: z.string().describe('`registry.example.com`, with its port if it is not the usual one.'),
    username: z.string(),
    createdBy: z.string(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'RegistryCredential' });

export function registryCredentialAnswer(
  credential: RegistryCredentialView,
): z.output<typeof registryCredentialSchema> {
  return { ...credential, createdAt: credential.createdAt.toISOString() };
}
