import { z } from 'zod';
import { invalidFields } from '../engine/input/input.ts';

/** Irreversible operations ask for the organization's slug once more. */
export const confirmedSlug = z.string().max(63).describe('The slug of the organization.');

export function refuseWrongSlug(given: string, slug: string): void {
  if (given === slug) return;
  throw invalidFields([
    { location: 'body.confirmSlug', message: `must be the slug of the organization, ${slug}`, value: given },
  ]);
}
