import type { Affected } from '../../live/affected.ts';
import type { Deeds, Kinds } from '../audit-log/deed.ts';
import { plainDeeds } from '../audit-log/plain-deeds.ts';

export const affected: Affected<'registry_credential'> = { registry_credential: () => [] };

export const kinds: Kinds<'registry_credential'> = { registry_credential: 'Registry credentials' };

export const deeds: Deeds<'registry_credential'> = plainDeeds('registry_credential', 'the registry credential');
