import { type Kysely, type RawBuilder, sql } from 'kysely';
import { Problem } from '../../domain/problems.ts';
import type { ReleaseContent, ServiceSource } from '../../domain/services/settings.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import {
  isForbidden,
  type SourceCredentialKind,
  type SourceCredentialRef,
  sourceCredentials,
} from './allowed-projects.ts';

interface UsingService {
  service: string;
  project: string;
}

/** Named in a refusal; one more is read, which shows that there are others. */
const mostNamed = 5;

/**
 * Services that need the credential, `except` those of some projects: their source names it, as applied somewhere, as staged or
 * held, or for environments to come, or the image of a release that is live or under way is pulled with it.
 */
export async function servicesUsing(
  kysely: Kysely<Tables>,
  { kind, organizationId, id }: SourceCredentialRef,
  except: readonly string[] = [],
): Promise<UsingService[]> {
  const { field } = sourceCredentials[kind];
  return await tenant(kysely, organizationId)
    .selectFrom('service')
    .innerJoin('project', 'project.id', 'service.project_id')
    .select(['service.name as service', 'project.name as project'])
    .where('service.deletion_id', 'is', null)
    .where(sql<boolean>`not service.project_id = any(${[...except]}::uuid[])`)
    .where(({ or, exists, selectFrom }) =>
      or([
        sql<boolean>`service.definition->'source'->>${field} = ${id}`,
        exists(
          selectFrom('environment_service')
            .select('environment_service.service_id')
            .whereRef('environment_service.service_id', '=', 'service.id')
            .where(sql<boolean>`environment_service.settings->'source'->>${field} = ${id}`),
        ),
        exists(
          selectFrom('change_set_item')
            .leftJoin('change_set', 'change_set.id', 'change_set_item.change_set_id')
            .select('change_set_item.id')
            .whereRef('change_set_item.service_id', '=', 'service.id')
            .where('change_set_item.kind', 'in', ['service.create', 'service.set'])
            .where('change_set.finished_at', 'is', null)
            .where(sql<boolean>`change_set_item.to_value like ${`%"${field}":"${id}"%`}`)
            // The source that a new service began with, where another one is staged by now, is nobody's.
            .where(
              sql<boolean>`(change_set_item.kind = 'service.set' or not exists (
                select from change_set_item as later
                where later.organization_id = change_set_item.organization_id
                  and later.change_set_id = change_set_item.change_set_id
                  and later.service_id = change_set_item.service_id
                  and later.kind = 'service.set' and later.key = 'source'
              ))`,
            ),
        ),
        ...(kind === 'registry_credential' ? [pulledWith(id)] : []),
      ]),
    )
    .orderBy('service.name')
    .orderBy('project.name')
    .limit(mostNamed + 1)
    .execute();
}

/** Images of commits come from our own registry: only those of outside ones name a credential. */
function pulledWith(id: string): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from release
    where release.organization_id = service.organization_id and release.service_id = service.id
      and release.content->'image'->>'registryCredentialId' = ${id}
      and (exists (select from environment_service as place
          where place.organization_id = release.organization_id and place.live_release_id = release.id)
        or exists (select from deployment
          where deployment.organization_id = release.organization_id and deployment.release_id = release.id
            and deployment.finished_at is null)))`;
}

/** `"Web"`, `"Web", "API" and others`: as `name` calls each. */
export function namesOf(services: readonly UsingService[], name: (service: UsingService) => string): string {
  const named = services.slice(0, mostNamed).map(name);
  return `${named.join(', ')}${services.length > mostNamed ? ' and others' : ''}`;
}

interface Project {
  organizationId: string;
  projectId: string;
}

interface Release extends Project {
  number: number;
  /** Of its service. */
  service: string;
  /** Of earlier versions it may lack settings. */
  content: Partial<ReleaseContent>;
}

/**
 * Refuses a release that needs a credential which its project may not use any more: to pull its image, or, with `source`, for the
 * source that the environment gets from it.
 */
export async function refuseForbiddenRelease(
  kysely: Kysely<Tables>,
  { number, service, content: { image, settings }, ...project }: Release,
  { source }: { source: boolean },
): Promise<void> {
  const pulled = image === undefined ? undefined : await forbiddenOf(kysely, project, image);
  const noun = pulled ?? (source && settings ? await forbiddenOf(kysely, project, settings.source) : undefined);
  if (noun === undefined) return;
  throw new Problem(
    'conflict',
    `Release #${number} of "${service}" needs a ${noun} that is not for its project any more: choose a later release, or ask an administrator of the organization to add the project to it.`,
  );
}

type Naming = Pick<ServiceSource, 'gitConnectionId' | 'registryCredentialId'>;

/**
 * The kind of a credential that a source or an image names and the project may not use, for people. Its name is not told, since
 * readers of the project need not see it. One that was deleted is nobody's: the machine may have the image.
 */
export async function forbiddenOf(
  kysely: Kysely<Tables>,
  { organizationId, projectId }: Project,
  named: Naming,
): Promise<string | undefined> {
  for (const kind of Object.keys(sourceCredentials) as SourceCredentialKind[]) {
    const { field, noun } = sourceCredentials[kind];
    const id = named[field];
    if (id !== undefined && (await isForbidden(kysely, { kind, organizationId, id }, projectId))) return noun;
  }
  return undefined;
}
