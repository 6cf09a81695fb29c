import { RegistryBlobSchema, RegistryLinkSchema, RegistryUploadSchema } from './blob.ts';
import { RegistryDraftSchema } from './draft.ts';
import { RegistryManifestSchema, RegistryReferenceSchema, RegistryTagSchema } from './manifest.ts';

export const registry = [
  RegistryBlobSchema,
  RegistryLinkSchema,
  RegistryUploadSchema,
  RegistryDraftSchema,
  RegistryManifestSchema,
  RegistryReferenceSchema,
  RegistryTagSchema,
] as const;
