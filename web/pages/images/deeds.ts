import { type Deeds, plainDeed, plainDeeds } from '../audit-log/deed.ts';

export const kinds = { image: 'Images' };

export const deeds: Deeds<'image'> = {
  ...plainDeeds('image', 'the image'),
  'image.pushed': plainDeed('Pushed', 'pushed the image'),
};
