import type { Kysely } from 'kysely';
import type { Effect } from '../../db/engine/effect.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { findProject } from '../../db/projects/projects.ts';
import { readManifest } from '../../db/registry/references.ts';
import { type Repository, repositoryByPath } from '../../db/registry/repositories.ts';
import { type NameAtHome, nameAtHome } from '../../domain/services/image-reference.ts';
import type { ServiceSource } from '../../domain/services/settings.ts';
import type { Settings } from '../../domain/settings/settings.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { invalidField } from '../engine/input/input.ts';

export const absentHere = "is no repository of this installation's registry that you may see";

interface ServiceOfName {
  organizationId: string;
  projectId: string;
  /** Absent while it is created. */
  serviceId?: string | undefined;
}

/**
 * The source with its image as it is kept: one of our registry by the tag alone in the service's own repository, else by
 * `<organization>/<project>/<service>`, however it was named. A name without a registry, such as `web:1.2`, means it where
 * that image is there as it is staged, and one of Docker Hub otherwise; it does not change its meaning afterwards.
 */
export async function namedAtHome(
  { kysely }: Effect,
  caller: OrganizationCaller,
  settings: Settings,
  place: ServiceOfName,
  source: ServiceSource,
  location: string,
): Promise<ServiceSource> {
  if (source.kind !== 'image') return source;
  const { imageRepository } = source;
  const named = nameAtHome(imageRepository, registryHosts(settings));
  if (named === undefined) return source;
  const path = named.certain ? named.path.join('/') : await meantPath(kysely, caller, place, named);
  if (path === undefined) return source;
  const repository = await repositoryOf(kysely, caller, path);
  if (repository === undefined) {
    const message = `${path} ${absentHere}; repositories are named <organization>/<project>/<service>`;
    throw invalidField(`${location}.imageRepository`, message, imageRepository);
  }
  const { registryCredentialId: _, ...kept } = source;
  const base = repository.id === place.serviceId ? '' : repository.path;
  return { ...kept, imageRepository: `${base}${versionOf(named)}` };
}

/** The repository of that path, if the caller may see it. What it may not see does not exist. */
export async function repositoryOf(
  kysely: Kysely<Tables>,
  caller: OrganizationCaller,
  path: string,
): Promise<Repository | undefined> {
  const [organization = '', project = '', service = '', ...more] = path.split('/');
  if (more.length > 0 || organization !== caller.organization.slug) return undefined;
  const found = await repositoryByPath(kysely, caller.organization.id, { organization, project, service });
  return found !== undefined && caller.seesProject(found.projectId) ? found : undefined;
}

/** Names of our registry in references to images: where people reach it, and where they do on this machine. */
export function registryHosts({ PUBLIC_URL, PORT }: Pick<Settings, 'PUBLIC_URL' | 'PORT'>): string[] {
  const here = ['localhost', '127.0.0.1', '[::1]'].map((name) => `${name}:${PORT}`);
  return [new URL(PUBLIC_URL).host, ...here];
}

/** A name that may be one of Docker Hub as well means ours if that very image is there. */
async function meantPath(
  kysely: Kysely<Tables>,
  caller: OrganizationCaller,
  { organizationId, projectId }: ServiceOfName,
  { path, tag, digest }: NameAtHome,
): Promise<string | undefined> {
  if (path.length > 2) return undefined;
  const project = path.length === 2 ? path[0] : (await findProject(kysely, organizationId, projectId))?.slug;
  const full = `${caller.organization.slug}/${project}/${path.at(-1)}`;
  const repository = await repositoryOf(kysely, caller, full);
  if (repository === undefined) return undefined;
  const found = await readManifest(kysely, repository, digest ?? tag ?? 'latest');
  return found === undefined ? undefined : full;
}

function versionOf({ tag, digest }: NameAtHome): string {
  if (digest === undefined) return `:${tag ?? 'latest'}`;
  return `${tag === undefined ? '' : `:${tag}`}@${digest}`;
}
