import { RegistryAllowedProjectSchema, RegistryCredentialSchema } from './registry-credential.ts';

export const registryCredentials = [RegistryCredentialSchema, RegistryAllowedProjectSchema] as const;
