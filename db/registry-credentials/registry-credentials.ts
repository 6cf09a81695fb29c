import type { Kysely } from 'kysely';
import { v7 as uuid } from 'uuid';
import { Problem } from '../../domain/problems.ts';
import type { Effect } from '../engine/effect.ts';
import type { Keyring } from '../keys/keys.ts';
import { uniqueViolation } from '../postgres/connection-failure.ts';
import { type Page, pageOf } from '../postgres/page-of.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';

export interface RegistryCredentialView {
  id: string;
  name: string;
  host: string;
  username: string;
  createdBy: string;
  createdAt: Date;
}

interface NewCredential {
  name: string;
  host: string;
  username: string;
  password: string;
}

const columns = ['id', 'name', 'host', 'username', 'created_by as createdBy', 'created_at as createdAt'] as const;

export async function findRegistryCredential(
  kysely: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<RegistryCredentialView | undefined> {
  return await tenant(kysely, organizationId)
    .selectFrom('registry_credential')
    .select(columns)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The organization's registry credentials, oldest first. */
export async function listRegistryCredentials(
  kysely: Kysely<Tables>,
  organizationId: string,
  page: Page,
): Promise<RegistryCredentialView[]> {
  const query = tenant(kysely, organizationId)
    .selectFrom('registry_credential')
    .select(columns)
    .$call(pageOf('registry_credential', 'oldest', page));
  return await query.execute();
}

export async function createRegistryCredential(
  effect: Effect,
  keyring: Pick<Keyring, 'encryptSecret'>,
  organizationId: string,
  { name, host, username, password }: NewCredential,
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
  record(effect, organizationId, 'created', { id, name });
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

/** The sign-in at a registry. Only for its own host: a password goes nowhere else. */
export async function registrySignIn(
  kysely: Kysely<Tables>,
  keyring: Pick<Keyring, 'decryptSecret'>,
  organizationId: string,
  { id, host }: { id: string; host: string },
): Promise<{ username: string; password: string } | undefined> {
  const row = await tenant(kysely, organizationId)
    .selectFrom('registry_credential')
    .select(['username', 'sealed'])
    .where('id', '=', id)
    .where('host', '=', host)
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
  deed: 'created' | 'deleted',
  { id, name }: { id: string; name: string },
): void {
  effect.audit({
    action: `registry_credential.${deed}`,
    organizationId,
    subjectKind: 'registry_credential',
    subjectId: id,
    subjectName: name,
  });
  effect.change({ organizationId, kind: 'registry_credential', id });
}

function sealedPlace(id: string): string {
  return `registry_credential:${id}:sealed`;
}
