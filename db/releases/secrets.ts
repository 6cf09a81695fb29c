import { type Kysely, sql } from 'kysely';
import { valuesOf } from '../../domain/references/frozen.ts';
import type { ReleaseContent } from '../../domain/services/settings.ts';
import { type Mask, maskOf } from '../../domain/variables/mask.ts';
import { appliedSettings, variablePlace } from '../change-sets/applied.ts';
import type { EnvironmentRef } from '../change-sets/environment-ref.ts';
import type { Keyring, Seals } from '../keys/keys.ts';
import type { Tables } from '../postgres/tables.ts';
import { referencesWith, referring } from '../references/referring.ts';

interface Ref {
  id: string;
  organizationId: string;
}

/** The values of a release's secret variables, sealed with the organization's key and bound to the release. */
export async function sealReleaseSecrets(
  keyring: Seals,
  release: Ref,
  secrets: Readonly<Record<string, string>>,
): Promise<Buffer | null> {
  if (Object.keys(secrets).length === 0) return null;
  return await keyring.encryptSecret(release.organizationId, boundTo(release), JSON.stringify(secrets));
}

export async function openReleaseSecrets(
  keyring: Pick<Seals, 'decryptSecret'>,
  release: Ref & { sealed: Buffer | null },
): Promise<Record<string, string>> {
  if (release.sealed === null) return {};
  return JSON.parse(await keyring.decryptSecret(release.organizationId, boundTo(release), release.sealed));
}

function boundTo({ id }: Ref): string {
  return `release:${id}:sealed`;
}

type Opens = Pick<Keyring, 'decryptSecret'>;

/** A service in an environment, and the release of it whose program wrote something. */
interface Program extends EnvironmentRef {
  serviceId: string;
  /** The number that its instances run as, or the deployment that rolls it. */
  release: { runsAs: number } | { deploymentId: string };
}

/**
 * Masks what a program was given in secret: the secret values of its release, and the secrets that its variables lead to
 * today. A program that prints them all the same shows them to nobody.
 */
export async function maskFor(kysely: Kysely<Tables>, keyring: Opens, program: Program): Promise<Mask> {
  return maskOf([...(await ofRelease(kysely, keyring, program)), ...(await ledTo(kysely, keyring, program))]);
}

/** Releases that run as the same one differ in replicas only. */
async function ofRelease(kysely: Kysely<Tables>, keyring: Opens, program: Program): Promise<string[]> {
  const { organizationId, environmentId, serviceId, release } = program;
  const which =
    'runsAs' in release
      ? sql`number = ${release.runsAs}`
      : sql`id = (select release_id from deployment
          where organization_id = ${organizationId} and id = ${release.deploymentId}::uuid)`;
  const { rows } = await sql<{ id: string; content: ReleaseContent; sealed: Buffer }>`
    select id, content, sealed from release
    where organization_id = ${organizationId} and service_id = ${serviceId} and environment_id = ${environmentId}
      and sealed is not null and ${which}
  `.execute(kysely);
  const texts: string[] = [];
  for (const { content, ...row } of rows) {
    const { secrets, late } = valuesOf(content, await openReleaseSecrets(keyring, { organizationId, ...row }));
    texts.push(...Object.values(secrets));
    for (const [key, pieces] of late) {
      // Addresses are put in when it is delivered; what stands around them is what is secret.
      if (content.references?.late[key] === undefined) texts.push(...pieces.filter((one) => typeof one === 'string'));
    }
  }
  return texts;
}

/** The secrets by themselves: a release has only what was made of them. */
async function ledTo(
  kysely: Kysely<Tables>,
  keyring: Opens,
  { organizationId, environmentId, serviceId }: Program,
): Promise<string[]> {
  const place = { organizationId, environmentId };
  if ((await referring(kysely, place, [serviceId])).length === 0) return [];
  const [references] = await referencesWith(kysely, place, {
    settings: await appliedSettings(kysely, place),
    items: [],
  });
  const own = [...references.referring].filter(({ scope }) => scope === serviceId);
  const { variables } = references.reached(own);
  if (variables.length === 0) return [];
  const { rows } = await sql<{ scope: string; key: string; sealed: Buffer }>`
    with sought as (
      select * from unnest(${variables.map(({ scope }) => scope)}::text[], ${variables.map(({ key }) => key)}::text[])
        as one (scope, key)
    )
    select sought.scope, sought.key, sealed from sought
    join variable on variable.organization_id = ${organizationId} and variable.environment_id = ${environmentId}
      and variable.service_id = nullif(sought.scope, '')::uuid and variable.key = sought.key
    where sealed is not null
    union all
    select '', sought.key, sealed from sought
    join shared_variable shared on shared.organization_id = ${organizationId} and shared.environment_id = ${environmentId}
      and shared.key = sought.key
    where sought.scope = '' and sealed is not null
  `.execute(kysely);
  return await Promise.all(
    rows.map(({ scope, key, sealed }) =>
      keyring.decryptSecret(organizationId, variablePlace(environmentId, scope, key), sealed),
    ),
  );
}
