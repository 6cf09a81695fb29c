import { type Deeds, type Kinds, plainDeed, plainDeeds } from '../audit-log/deed.ts';

export const kinds: Kinds<'image'> = { image: 'Images' };

export const deeds: Deeds<'image'> = {
  ...plainDeeds('image', 'the image'),
  'image.pushed': plainDeed('Pushed', 'pushed the image'),
};
