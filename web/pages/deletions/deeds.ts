import type { Deeds, Kinds } from '../audit-log/deed.ts';
import { clockDeeds, plainDeeds } from '../audit-log/plain-deeds.ts';

export const kinds: Kinds<'volume'> = { volume: 'Volumes' };

export const deeds: Deeds<'volume'> = { ...plainDeeds('volume', 'the volume'), ...clockDeeds('volume', 'the volume') };
