import { clockDeeds, type Deeds, plainDeeds } from '../audit-log/deed.ts';

export const kinds = { volume: 'Volumes' };

export const deeds: Deeds<'volume'> = { ...plainDeeds('volume', 'the volume'), ...clockDeeds('volume', 'the volume') };
