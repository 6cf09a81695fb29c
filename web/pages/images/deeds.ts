import type { Deeds, Kinds } from '../audit-log/deed.ts';
import { plainDeed, plainDeeds } from '../audit-log/plain-deeds.ts';

export const kinds: Kinds<'image'> = { image: 'Images' };

export const deeds: Deeds<'image'> = {
  ...plainDeeds('image', 'the image'),
  'image.pushed': plainDeed('Pushed', 'pushed the image'),
};
