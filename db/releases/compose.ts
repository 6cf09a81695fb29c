import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { Problem } from '../../domain/problems.ts';
import { type FrozenVariable, frozen } from '../../domain/references/frozen.ts';
import type { Reached } from '../../domain/references/frozen-references.ts';
import type { FrozenConfig } from '../../domain/repository-config/effective.ts';
import type { ImagePlatform } from '../../domain/services/image-fit.ts';
import type { ReleaseContent, ServiceSettings } from '../../domain/services/settings.ts';
import type { Effect } from '../engine/effect.ts';
import type { Keyring } from '../keys/keys.ts';
import { tenant } from '../postgres/tenant.ts';
import { slugsOf } from '../references/referring.ts';
import { contentDigest } from './content-digest.ts';
import { type ReleasePlace, retireReleases } from './releases.ts';
import { openReleaseSecrets, sealReleaseSecrets } from './secrets.ts';

export type ReleaseKeys = Pick<Keyring, 'encryptSecret' | 'decryptSecret' | 'derivedSecret'>;

export interface Composition extends ReleasePlace {
  settings: ServiceSettings;
  image: ReleaseContent['image'];
  /** The image as people read it: with the tag that was resolved. */
  imageRef: string;
  platforms?: ImagePlatform[] | null;
  /** Of the source of the image. */
  file?: FrozenConfig | undefined;
  variables: ReadonlyMap<string, FrozenVariable>;
  /** The processes whose addresses are put into them. */
  reached: readonly Reached[];
  changeSetId?: string;
  buildId?: string;
  gitCommitSha?: string;
  promotedFromReleaseId?: string;
}

export interface Composed {
  id: string;
  number: number;
  contentDigest: string;
  runsAs: number;
}

/**
 * Freezes all that runs of a service in an environment: image, settings, variables with secrets sealed. A release that
 * differs from the live one in replicas only runs as that one: its instances stay.
 */
export async function composeRelease(
  effect: Effect,
  keyring: ReleaseKeys,
  composition: Composition,
): Promise<Composed> {
  const { organizationId, projectId, environmentId, serviceId, settings, image } = composition;
  await refuseMissing(effect, composition);
  const { secrets, ...values } = frozen(composition.variables, composition.reached);
  const { file } = composition;
  const content: ReleaseContent = { settings, image, ...values, ...(file === undefined ? {} : { file }) };
  const id = uuid();
  const digest = await contentDigest(keyring, organizationId, content, secrets);
  const number = await nextNumber(effect, composition);
  const same = await contentDigest(keyring, organizationId, content, secrets, { withoutReplicas: true });
  const runsAs = (await runningAs(effect, keyring, composition, same)) ?? number;
  await tenant(effect.kysely, organizationId)
    .insertInto('release')
    .values({
      id,
      project_id: projectId,
      environment_id: environmentId,
      service_id: serviceId,
      number,
      content,
      sealed: await sealReleaseSecrets(keyring, { id, organizationId }, secrets),
      content_digest: digest,
      image_ref: composition.imageRef,
      image_platforms: composition.platforms ? sql`${JSON.stringify(composition.platforms)}::jsonb` : null,
      variable_keys: [...composition.variables.keys()].toSorted((a, b) => (a < b ? -1 : 1)),
      runs_as: runsAs,
      change_set_id: composition.changeSetId ?? null,
      build_id: composition.buildId ?? null,
      git_commit_sha: composition.gitCommitSha ?? null,
      promoted_from_release_id: composition.promotedFromReleaseId ?? null,
      created_by: effect.author.name,
    })
    .execute();
  await retireReleases(effect, composition);
  return { id, number, contentDigest: digest, runsAs };
}

/** A file without content is none. */
async function refuseMissing(
  { kysely }: Effect,
  { organizationId, serviceId, settings, variables }: Composition,
): Promise<void> {
  const missing = settings.files.find(({ variable }) => !variables.has(variable));
  if (missing === undefined) return;
  const [slug] = (await slugsOf(kysely, { organizationId }, [serviceId])).values();
  throw new Problem(
    'conflict',
    `The file "${missing.path}" of "${slug ?? serviceId}" is made of the variable ${missing.variable}, which is not there at run time: set it, or unset the file.`,
  );
}

/** The service's row keeps others from taking the same number. */
async function nextNumber(effect: Effect, { organizationId, serviceId }: ReleasePlace): Promise<number> {
  const own = tenant(effect.kysely, organizationId);
  await own.selectFrom('service').select('id').where('id', '=', serviceId).forNoKeyUpdate().executeTakeFirstOrThrow();
  const last = await own
    .selectFrom('release')
    .select(sql<number | null>`max(number)`.as('number'))
    .where('service_id', '=', serviceId)
    .executeTakeFirst();
  return (last?.number ?? 0) + 1;
}

/** The number that the live release runs as, if this content differs from its in replicas only. */
async function runningAs(
  effect: Effect,
  keyring: ReleaseKeys,
  { organizationId, environmentId, serviceId }: ReleasePlace,
  digest: string,
): Promise<number | undefined> {
  const live = await tenant(effect.kysely, organizationId)
    .selectFrom('environment_service')
    .innerJoin('release', 'release.id', 'environment_service.live_release_id')
    .select(['release.id', 'release.content', 'release.sealed', 'release.runs_as as runsAs'])
    .where('environment_service.environment_id', '=', environmentId)
    .where('environment_service.service_id', '=', serviceId)
    .executeTakeFirst();
  if (live === undefined) return undefined;
  const secrets = await openReleaseSecrets(keyring, { id: live.id, organizationId, sealed: live.sealed });
  const its = await contentDigest(keyring, organizationId, live.content, secrets, { withoutReplicas: true });
  return its === digest ? live.runsAs : undefined;
}
