import type { Kysely } from 'kysely';
import { z } from 'zod';
import { lastImage } from '../../db/change-sets/apply/resolved-image.ts';
import { findDeployment } from '../../db/deployments/deployments.ts';
import { machineOf } from '../../db/environments/machine.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { readImageConfig, readManifest } from '../../db/registry/references.ts';
import { registrySignIn } from '../../db/registry-credentials/registry-credentials.ts';
import { findRelease, lastDeploymentOf, listReleases as list, type ReleaseView } from '../../db/releases/releases.ts';
import type { ServiceView } from '../../db/services/services.ts';
import type { ServicePlace } from '../../db/services/wanted-settings.ts';
import { Problem } from '../../domain/problems.ts';
import { fittingPlatforms, type ImagePlatform, type Machine, platformOf } from '../../domain/services/image-fit.ts';
import { parseImage } from '../../domain/services/image-reference.ts';
import { OutboundFailed, outboundFault } from '../../outbound/failures.ts';
import { outsideConfig, outsideVariants } from '../../outbound/outside-image.ts';
import { resolveOutside } from '../../outbound/registry.ts';
import { deploymentAnswer, deploymentSchema } from '../deployments/deployment.ts';
import type { AnswerOf } from '../engine/answers.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { resource } from '../engine/resource.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { repositoryOf } from '../registry/names-at-home.ts';
import { frozenConfigSchema } from '../repository-config/effective-schema.ts';
import { theService } from '../services/service.ts';
import { placeOf } from '../services/service-place.ts';

/** An image as it would be deployed now: in our registry, or at an outside one. */
type WantedImage =
  | { own: true; repositoryId: string; digest: string; imageRef: string }
  | {
      own: false;
      host: string;
      repository: string;
      reference: string;
      imageRef: string;
      credentialId: string | undefined;
    };

/** Its source says which: the digest of the last release with that source, else what its tag means now. */
async function wantedImage(
  kysely: Kysely<Tables>,
  caller: OrganizationCaller,
  service: ServiceView,
  place: ServicePlace,
): Promise<WantedImage> {
  const { organizationId, environmentId, settings } = place;
  const { kind, imageRepository, registryCredentialId: credentialId } = settings.source;
  const named = kind === 'image' ? parseImage(imageRepository) : undefined;
  if (named === undefined) {
    throw new Problem('conflict', `"${service.name}" has no image in "${place.name}": name one in its source first.`);
  }
  const last = await lastImage(kysely, { organizationId, environmentId, serviceId: service.id }, settings);
  const reference = last?.image.digest ?? named.digest ?? named.tag ?? 'latest';
  const imageRef = last?.imageRef ?? imageRepository;
  if (!named.own) return { ...named, own: false, reference, imageRef, credentialId };
  const own = { id: service.id, organizationId };
  const takenOver = last !== undefined || named.repository === '';
  const repository = takenOver ? own : await repositoryOf(kysely, caller, named.repository);
  const found = repository && (await readManifest(kysely, repository, reference));
  if (found !== undefined) return { own: true, repositoryId: repository?.id ?? own.id, digest: found.digest, imageRef };
  throw new Problem('image-not-resolved', `"${service.name}" has no image ${imageRepository}: push it first.`);
}

const getImageConfig = operation({
  method: 'GET',
  url: '/api/v1/services/{id}/image-config',
  summary: 'Tell how the image of a service starts, unless its processes say otherwise',
  description:
    'Of the image that the environment would deploy now. One of another registry is looked up there, with the credential of the service.',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['conflict', 'image-not-resolved'],
  of: theService,
  query: z.strictObject({ environmentId: z.guid().toLowerCase() }),
  result: z
    .object({
      imageRef: z.string(),
      entrypoint: z.array(z.string()),
      cmd: z.array(z.string()),
      user: z.string(),
      workingDir: z.string(),
    })
    .meta({ id: 'ImageConfig' }),
  async handle({ found: service, caller, query, database: { kysely }, server }) {
    const place = await placeOf(kysely, caller, service, query.environmentId);
    const image = await wantedImage(kysely, caller, service, place);
    const { machine } = await machineOf(kysely, place);
    const config = image.own ? await ownConfig(image, machine) : await outsideStart(server, service, image, machine);
    return { imageRef: image.imageRef, ...startOf(config) };

    async function ownConfig(
      { repositoryId, digest }: Extract<WantedImage, { own: true }>,
      at: Machine | undefined,
    ): Promise<unknown> {
      const variants = await readImageConfig(kysely, service.organizationId, repositoryId, digest);
      const known = variants.map(({ config, annotations }) => ({ ...platformOf(config, annotations), config }));
      const { config } = fitting(known, at)?.config ?? {};
      return config;
    }
  },
});

async function outsideStart(
  { database, keyring, outbound }: ServerParts,
  { name, organizationId, projectId }: { name: string; organizationId: string; projectId: string },
  { host, repository, reference, credentialId: id }: Extract<WantedImage, { own: false }>,
  machine: Machine | undefined,
): Promise<unknown> {
  const credential =
    id === undefined
      ? undefined
      : await registrySignIn(database.kysely, keyring, organizationId, { id, host, usedFor: [projectId] });
  const image = { host, repository, credential };
  const limits = { ...outbound, timeoutMillis: 10_000 };
  try {
    const digest = await resolveOutside({ ...image, reference }, limits);
    const variants = await outsideVariants({ ...image, reference: digest }, limits);
    const known = variants.map((one) => ({ ...platformOf(one, one.annotations), digest: one.digest }));
    const chosen = fitting(known, machine);
    if (chosen === undefined) throw new OutboundFailed(`${host} has no image for it`);
    return (await outsideConfig({ ...image, reference: chosen.digest }, limits)).config;
  } catch (error) {
    const why = outboundFault(error).replace(/\.$/, '');
    throw new Problem('image-not-resolved', `The image of "${name}" was not found: ${why}.`);
  }
}

/** The variant that the environment's cluster would run; the first, if none fits or there is no cluster. */
function fitting<Platform extends ImagePlatform>(known: readonly Platform[], at: Machine | undefined) {
  return (at === undefined ? undefined : fittingPlatforms(known, at)[0]) ?? known[0];
}

const texts = z
  .array(z.string())
  .nullish()
  .catch(null)
  .transform((list) => list ?? []);
const text = z
  .string()
  .nullish()
  .catch(null)
  .transform((said) => said ?? '');
/** Fields that the image's author has written, in any shape: one that cannot be read counts as absent and refuses no image. */
const start = z.object({ Entrypoint: texts, Cmd: texts, User: text, WorkingDir: text });

function startOf(config: unknown) {
  const { Entrypoint: entrypoint, Cmd: cmd, User: user, WorkingDir: workingDir } = start.parse(config ?? {});
  return { entrypoint, cmd, user, workingDir };
}

export const theRelease = resource('release', findRelease, ({ projectId }) => projectId);
export const releaseSchema = z
  .object({
    id: z.guid(),
    environmentId: z.guid(),
    serviceId: z.guid(),
    number: z.int().describe('Counted per service.'),
    configRevision: z
      .int()
      .describe('The number of the release whose instances run it: another one if only replicas differ.'),
    contentDigest: z.string().describe('Of all that it is; the same in approval, release and report of the agent.'),
    imageRef: z.string(),
    variableKeys: z.array(z.string()),
    changeSetId: z.guid().optional(),
    buildId: z.guid().optional(),
    gitCommitSha: z.string(),
    promotedFromReleaseId: z.guid().optional(),
    createdBy: z.string(),
    createdAt: z.iso.datetime(),
    repositoryConfig: frozenConfigSchema
      .optional()
      .describe('The configuration file of the source of its image, over the settings; absent: there was none.'),
    retiredAt: z.iso.datetime().optional().describe('Not to be deployed again since then.'),
  })
  .meta({ id: 'Release' });

export function releaseAnswer(release: ReleaseView): AnswerOf<typeof releaseSchema> {
  const { runsAs: configRevision, gitCommitSha, file: repositoryConfig } = release;
  return { ...release, configRevision, gitCommitSha: gitCommitSha ?? '', repositoryConfig };
}

const getRelease = operation({
  method: 'GET',
  url: '/api/v1/releases/{id}',
  summary: 'Get a release with its last deployment',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theRelease,
  result: z.object({ release: releaseSchema, deployment: deploymentSchema.optional() }).meta({ id: 'ReleaseDetail' }),
  async handle({ found: release, database: { kysely } }) {
    const last = await lastDeploymentOf(kysely, release.organizationId, release.id);
    const deployment = last === undefined ? undefined : await findDeployment(kysely, release.organizationId, last);
    return { release: releaseAnswer(release), deployment: deployment && deploymentAnswer(deployment) };
  },
});

const listReleases = operation({
  method: 'GET',
  url: '/api/v1/services/{id}/releases',
  summary: 'List the releases of a service, newest first',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theService,
  query: z.strictObject({ environmentId: z.guid().toLowerCase().optional() }),
  paged: { after: createdPosition },
  result: releaseSchema,
  async handle({ found: { id: serviceId, organizationId }, query, page, database }) {
    const filter = { serviceId, environmentId: query.environmentId };
    const found = await list(database.kysely, organizationId, filter, oneMore(page));
    return pageOf(found, page, releaseAnswer);
  },
});

export const releases = { get: getRelease, list: listReleases, imageConfig: getImageConfig };
