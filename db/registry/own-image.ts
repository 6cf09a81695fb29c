import type { Kysely } from 'kysely';
import { platformOf } from '../../domain/services/image-fit.ts';
import type { ResolvedImage } from '../change-sets/apply/resolved-image.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import { readImageConfig, resolveManifest } from './references.ts';

interface Service {
  organizationId: string;
  serviceId: string;
}

/** An image in the service's own repository, by digest or tag; without `found` there is none. */
export async function ownImage(
  kysely: Kysely<Tables>,
  { organizationId, serviceId }: Service,
  { tag, digest }: { tag?: string | undefined; digest?: string | undefined },
): Promise<{ repository: string; found: ResolvedImage | undefined }> {
  const repository = await pathOf(kysely, { organizationId, serviceId });
  const manifest = await resolveManifest(kysely, organizationId, serviceId, digest ?? tag ?? '');
  if (manifest === undefined) return { repository, found: undefined };
  const variants = await readImageConfig(kysely, organizationId, serviceId, manifest.digest);
  const found = {
    platforms: variants.map(({ config, annotations }) => platformOf(config, annotations)),
    image: { repository, digest: manifest.digest, own: true },
    imageRef: `${repository}${tag === undefined ? '' : `:${tag}`}@${manifest.digest}`,
  };
  return { repository, found };
}

/** `<organization>/<project>/<service>`, by their slugs of today. */
export async function pathOf(kysely: Kysely<Tables>, { organizationId, serviceId }: Service): Promise<string> {
  const { organization, project, service } = await tenant(kysely, organizationId)
    .selectFrom('service')
    .innerJoin('project', 'project.id', 'service.project_id')
    .innerJoin('organization', 'organization.id', 'service.organization_id')
    .select(['organization.slug as organization', 'project.slug as project', 'service.slug as service'])
    .where('service.id', '=', serviceId)
    .executeTakeFirstOrThrow();
  return `${organization}/${project}/${service}`;
}
