import type { Kysely } from 'kysely';
import { Problem } from '../../domain/problems.ts';
import type { ReleaseContent, ServiceSource } from '../../domain/services/settings.ts';
import type { Tables } from '../postgres/tables.ts';
import { isForbidden, type SourceCredentialKind, sourceCredentials } from './allowed-projects.ts';

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
