import { z } from 'zod';
import { listProjectTags } from '../../db/registry/discovery.ts';
import { operation } from '../engine/operation.ts';
import { theProject } from './project.ts';

const most = 200;

export const listProjectImages = operation({
  method: 'GET',
  url: '/api/v1/projects/{id}/images',
  summary: 'List the tagged images of a project in the registry here, newest first',
  description: `Those that were tagged last, at most ${most}: \`reference\` is what a source of any of its services can name.`,
  role: 'viewer',
  projectTokens: 'allowed',
  of: theProject,
  result: z
    .object({
      items: z.array(
        z.object({
          reference: z.string(),
          serviceId: z.guid(),
          serviceSlug: z.string(),
          tag: z.string(),
          digest: z.string(),
          updatedAt: z.iso.datetime(),
        }),
      ),
    })
    .meta({ id: 'ProjectImages' }),
  async handle({ found: { slug, id, organizationId }, caller, database }) {
    const found = await listProjectTags(database.kysely, { organizationId, projectId: id, limit: most });
    return {
      items: found.map((one) => ({
        reference: `${caller.organization.slug}/${slug}/${one.serviceSlug}:${one.tag}`,
        ...one,
      })),
    };
  },
});
