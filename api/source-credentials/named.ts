import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { Effect } from '../../db/engine/effect.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import {
  mayUse,
  type SourceCredentialKind,
  sourceCredentials,
  type UsedFor,
} from '../../db/source-credentials/allowed-projects.ts';
import type { FieldError } from '../../domain/problems.ts';
import type { ServiceSource } from '../../domain/services/settings.ts';
import { sourceFaults } from '../../domain/services/source-faults.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { invalidField, invalidFields } from '../engine/input/input.ts';
import { usedForOf } from './projects-field.ts';

/** The source of a service in a request, and where it stands: `body.source`. */
export interface NamedSource {
  source: ServiceSource;
  location: string;
}

/**
 * Refuses sources from which nothing could be built or pulled: what is wrong in itself, and credentials that are not there or
 * that the project may not use.
 */
export async function refuseUnfitSources(
  effect: Effect,
  caller: OrganizationCaller,
  projectId: string,
  named: readonly NamedSource[],
): Promise<void> {
  await refuseUnusable(effect, caller, projectId, named, 'registry_credential', 'registryCredentialId');
  const faults = named.flatMap(({ source, location }) =>
    sourceFaults(source).map(({ field, message }) => ({ location: `${location}.${field}`, message })),
  );
  if (faults.length > 0) throw invalidFields(faults);
  await refuseUnusable(effect, caller, projectId, named, 'git_connection', 'gitConnectionId');
}

/** Refuses the credential of the organization's builds, which are of all projects. */
export async function refuseUnfitForBuilds(
  effect: Effect,
  caller: OrganizationCaller,
  id: string | null | undefined,
): Promise<void> {
  if (id == null) return;
  const location = 'body.buildRegistryCredentialId';
  const [known] = await seen(effect.kysely, caller, 'registry_credential', 'organization', [id]);
  if (known === undefined) throw invalidField(location, absent('registry_credential'), id);
  if (known.allProjects) return;
  const message = `is "${known.name}", which is limited to some projects, and builds are of all: let all projects use it first, or choose another one`;
  throw invalidField(location, message, id);
}

async function refuseUnusable(
  { kysely }: Effect,
  caller: OrganizationCaller,
  projectId: string,
  named: readonly NamedSource[],
  kind: SourceCredentialKind,
  field: 'registryCredentialId' | 'gitConnectionId',
): Promise<void> {
  const ids = named.flatMap(({ source }) => z.guid().safeParse(source[field]).data ?? []);
  const known = new Map<unknown, Seen>();
  for (const one of await seen(kysely, caller, kind, [projectId], ids)) known.set(one.id, one);
  const faults = named.flatMap(({ source: { [field]: value }, location }): FieldError[] => {
    const found = known.get(value);
    if (value === undefined || found?.usable === true) return [];
    const message = found === undefined ? absent(kind) : forbidden(kind, found.name);
    return [{ location: `${location}.${field}`, message, value }];
  });
  if (faults.length > 0) throw invalidFields(faults);
}

interface Seen {
  id: string;
  name: string;
  allProjects: boolean;
  usable: boolean;
}

/** Those that the caller sees. Locked, so that none is deleted or loses its projects while its first service is staged. */
async function seen(
  kysely: Kysely<Tables>,
  caller: OrganizationCaller,
  kind: SourceCredentialKind,
  usedFor: UsedFor,
  ids: readonly string[],
): Promise<Seen[]> {
  if (ids.length === 0) return [];
  const { id, name, organization, allProjects } = sourceCredentials[kind];
  const { rows } = await sql<Seen>`
    select ${id} as id, ${name} as name, ${allProjects} as "allProjects", ${mayUse(kind, usedFor)} as usable
    from ${sql.table(kind)}
    where ${organization} = ${caller.organization.id} and ${id} = any(${[...ids]}::uuid[])
      and ${mayUse(kind, usedForOf(caller))}
    for share of ${sql.table(kind)}
  `.execute(kysely);
  return rows;
}

function absent(kind: SourceCredentialKind): string {
  return `is no ${sourceCredentials[kind].noun} of this organization`;
}

function forbidden(kind: SourceCredentialKind, name: string): string {
  return `is the ${sourceCredentials[kind].noun} "${name}", which is not for this project: an administrator of the organization can add the project to it`;
}
