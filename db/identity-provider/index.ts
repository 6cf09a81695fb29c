import { ProviderAccountSchema, ProviderPasskeySchema, ProviderRecoveryCodeSchema } from './provider-account.ts';
import { ProviderKeySchema, ProviderRecordSchema } from './provider-record.ts';

export const identityProvider = [
  ProviderAccountSchema,
  ProviderPasskeySchema,
  ProviderRecoveryCodeSchema,
  ProviderRecordSchema,
  ProviderKeySchema,
] as const;
