import { RegistryCredentialSchema } from './registry-credential.ts';

export const registryCredentials = [RegistryCredentialSchema] as const;
