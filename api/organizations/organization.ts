import { z } from 'zod';
import { reservedSlugs, slugPattern } from '../../domain/slug.ts';
import { invalidField } from '../engine/input/input.ts';
import { nameText } from '../engine/input/line.ts';

export const organizationSchema = z
  .object({
    id: z.guid(),
    name: z.string(),
    slug: z.string(),
    defaultClusterId: z.guid().optional().describe('The cluster that new environments are put on.'),
    buildRegistryCredentialId: z.guid().optional().describe('What built images are pushed with.'),
    buildRepositoryPrefix: z.string().optional().describe('The prefix of the names of built images.'),
    requireMfa: z.boolean(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Organization' });

export const organizationName = nameText();
export const organizationSlug = z
  .string()
  .regex(slugPattern, 'uses lowercase letters, digits and hyphens, and begins and ends with a letter or a digit')
  .refine((slug) => !reservedSlugs.has(slug), 'is part of an address of the control plane; choose another one')
  .describe('Unique in the installation.');

const repositoryPart = '[a-z0-9]+(?:(?:\\.|_{1,2}|-+)[a-z0-9]+)*';
/** As registries take the names of repositories, so that every name that begins with it is one of theirs. */
export const buildRepositoryPrefix = z
  .string()
  .max(255)
  .regex(new RegExp(`^${repositoryPart}(?:/${repositoryPart})*$`))
  .describe('Lower-case words with `.`, `_` or `-` between them, in parts with `/` between them: `acme/apps`.');

/** Irreversible operations ask for the organization's slug once more. */
export const confirmedSlug = z.string().max(63).describe('The slug of the organization.');

export function refuseWrongSlug(given: string, slug: string): void {
  if (given === slug) return;
  throw invalidField('body.confirmSlug', `must be the slug of the organization, ${slug}`, given);
}
