import { z } from 'zod';
import { machineOf } from '../../db/environments/machine.ts';
import { readImageConfig } from '../../db/registry/references.ts';
import { registrySignIn } from '../../db/registry-credentials/registry-credentials.ts';
import { Problem } from '../../domain/problems.ts';
import { fittingPlatforms, type ImagePlatform, type Machine, platformOf } from '../../domain/services/image-fit.ts';
import { OutboundFailed, OutboundRefused } from '../../outbound/failures.ts';
import { outsideConfig, outsideVariants } from '../../outbound/outside-image.ts';
import { resolveOutside } from '../../outbound/registry.ts';
import { operation } from '../engine/operation.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { servicePath, theService } from '../services/service.ts';
import { placeOf } from '../services/service-place.ts';
import { type WantedImage, wantedImage } from './wanted-image.ts';

export const getImageConfig = operation({
  method: 'GET',
  url: '/api/v1/services/{id}/image-config',
  summary: 'Tell how the image of a service starts, unless its processes say otherwise',
  description:
    'Of the image that the environment would deploy now. One of another registry is looked up there, with the credential of the service.',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found', 'conflict', 'image-not-resolved'],
  path: servicePath,
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
  async handle({ caller, path, query, database: { kysely }, server }) {
    const service = await caller.see(theService, path.id);
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
    if (!(error instanceof OutboundFailed) && !(error instanceof OutboundRefused)) throw error;
    const why = error.message.replace(/\.$/, '');
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
