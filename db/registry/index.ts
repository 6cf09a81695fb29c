import { RegistryBlobSchema, RegistryLinkSchema, RegistryUploadSchema } from './blob.ts';
import { RegistryManifestSchema, RegistryReferenceSchema, RegistryTagSchema } from './manifest.ts';

export const registry = [
  RegistryBlobSchema,
  RegistryLinkSchema,
  RegistryUploadSchema,
  RegistryManifestSchema,
  RegistryReferenceSchema,
  RegistryTagSchema,
] as const;
