import { z } from 'zod';
import type { OrganizationView } from '../../db/organizations.ts';

export const organizationSchema = z
  .object({
    id: z.guid(),
    name: z.string(),
    slug: z.string(),
    defaultClusterId: z.guid().optional().describe('The cluster that new environments are put on.'),
    buildRegistryCredentialId: z.guid().optional().describe('What built images are pushed with.'),
    buildRepositoryPrefix: z.string().optional().describe('What the names of built images begin with.'),
    requireMfa: z.boolean(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Organization' });

export function organizationAnswer(organization: OrganizationView): z.output<typeof organizationSchema> {
  const { defaultClusterId, buildRegistryCredentialId, buildRepositoryPrefix, createdAt, ...rest } = organization;
  return {
    ...rest,
    ...(defaultClusterId === null ? {} : { defaultClusterId }),
    ...(buildRegistryCredentialId === null ? {} : { buildRegistryCredentialId }),
    ...(buildRepositoryPrefix === null ? {} : { buildRepositoryPrefix }),
    createdAt: createdAt.toISOString(),
  };
}
