import { type Kysely, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { Problem } from '../../domain/problems.ts';
import type { Effect } from '../engine/effect.ts';
import type { Keyring } from '../keys/keys.ts';
import { uniqueViolation } from '../postgres/connection-failure.ts';
import type { JsonObject } from '../postgres/json.ts';
import { type Page, pageOf } from '../postgres/page-of.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import {
  type AllowedProjects,
  everyProject,
  mayUse,
  projectIdsOf,
  type UsedFor,
  writeAllowedProjects,
} from '../source-credentials/allowed-projects.ts';

export interface RegistryCredentialView extends AllowedProjects {
  id: string;
  name: string;
  host: string;
  username: string;
  lastError: string;
  verifiedAt: Date | null;
  createdBy: string;
  createdAt: Date;
}

interface NewCredential {
  name: string;
  host: string;
  username: string;
  password: string;
  /** By default all. */
  allowed?: AllowedProjects;
}

const columns = [
  'id',
  'name',
  'host',
  'username',
  'last_error as lastError',
  'verified_at as verifiedAt',
  'created_by as createdBy',
  'created_at as createdAt',
  'all_projects as allProjects',
] as const;

export async function findRegistryCredential(
  kysely: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<RegistryCredentialView | undefined> {
  return await tenant(kysely, organizationId)
    .selectFrom('registry_credential')
    .select(columns)
    .select(projectIdsOf('registry_credential').as('projectIds'))
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The organization's registry credentials that one of these projects may use, oldest first. */
export async function listRegistryCredentials(
  kysely: Kysely<Tables>,
  organizationId: string,
  usedFor: UsedFor,
  page: Page,
): Promise<RegistryCredentialView[]> {
  const query = tenant(kysely, organizationId)
    .selectFrom('registry_credential')
    .select(columns)
    .select(projectIdsOf('registry_credential').as('projectIds'))
    .where(mayUse('registry_credential', usedFor))
    .$call(pageOf('registry_credential', 'oldest', page));
  return await query.execute();
}

export async function createRegistryCredential(
  effect: Effect,
  keyring: Pick<Keyring, 'encryptSecret'>,
  organizationId: string,
  { name, host, username, password, allowed = everyProject }: NewCredential,
): Promise<RegistryCredentialView> {
  const id = uuid();
  const sealed = await keyring.encryptSecret(organizationId, sealedPlace(id), password);
  try {
    await tenant(effect.kysely, organizationId)
      .insertInto('registry_credential')
      .values({ id, name, host, username, sealed, created_by: effect.author.name })
      .execute();
  } catch (error) {
    if (uniqueViolation(error) !== 'registry_credential_organization_id_name_unique') throw error;
    throw new Problem('conflict', `A registry credential named "${name}" exists already: choose another name.`, {
      errors: [{ location: 'body.name', message: 'another registry credential has this name', value: name }],
    });
  }
  await writeAllowedProjects(effect.kysely, { kind: 'registry_credential', organizationId, id }, allowed);
  record(effect, organizationId, 'created', { id, name }, { host, ...allowed });
  const created = await findRegistryCredential(effect.kysely, organizationId, id);
  if (created === undefined) throw new Error(`The registry credential ${id} that was just written is not there.`);
  return created;
}

export async function deleteRegistryCredential(
  effect: Effect,
  organizationId: string,
  { id, name }: { id: string; name: string },
): Promise<void> {
  await tenant(effect.kysely, organizationId).deleteFrom('registry_credential').where('id', '=', id).execute();
  record(effect, organizationId, 'deleted', { id, name });
}

/** Of a check: `lastError` is the sentence that says why the registry does not accept the sign-in, or empty. */
export async function noteCheck(
  effect: Effect,
  organizationId: string,
  { id, name }: { id: string; name: string },
  lastError: string,
): Promise<void> {
  const accepted = lastError === '' ? { verified_at: sql<Date>`now()` } : {};
  await tenant(effect.kysely, organizationId)
    .updateTable('registry_credential')
    .set({ last_error: lastError, ...accepted })
    .where('id', '=', id)
    .execute();
  record(effect, organizationId, 'checked', { id, name }, lastError === '' ? {} : { failed: true });
}

/** The sign-in at a registry. Only for its own host and projects: a password goes nowhere else. */
export async function registrySignIn(
  kysely: Kysely<Tables>,
  keyring: Pick<Keyring, 'decryptSecret'>,
  organizationId: string,
  { id, host, usedFor }: { id: string; host: string; usedFor: UsedFor },
): Promise<{ username: string; password: string } | undefined> {
  const row = await tenant(kysely, organizationId)
    .selectFrom('registry_credential')
    .select(['username', 'sealed'])
    .where('id', '=', id)
    .where('host', '=', host)
    .where(mayUse('registry_credential', usedFor))
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    username: row.username,
    password: await keyring.decryptSecret(organizationId, sealedPlace(id), row.sealed),
  };
}

function record(
  effect: Effect,
  organizationId: string,
  deed: 'created' | 'deleted' | 'checked',
  { id, name }: { id: string; name: string },
  details: JsonObject = {},
): void {
  effect.audit(`registry_credential.${deed}`, { organizationId, id, name }, details);
  effect.change({ organizationId, kind: 'registry_credential', id });
}

function sealedPlace(id: string): string {
  return `registry_credential:${id}:sealed`;
}
