import { z } from 'zod';
import { slugPattern } from '../../domain/slug.ts';

/** Slugs of all kinds have one form. A volume has a name instead, of the same letters. */
export const restoredSlug = z
  .string()
  .max(40)
  .regex(slugPattern, 'uses lowercase letters, digits and hyphens, and begins and ends with a letter or a digit')
  .describe('Instead of the one that it had, where that is taken by now. Of a volume, its name.');
