import { clockDeeds, type Deeds, type Kinds, plainDeeds } from '../audit-log/deed.ts';

export const kinds: Kinds<'volume'> = { volume: 'Volumes' };

export const deeds: Deeds<'volume'> = { ...plainDeeds('volume', 'the volume'), ...clockDeeds('volume', 'the volume') };
