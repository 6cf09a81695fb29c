import { type Commits, needsBuild } from '../../db/change-sets/apply/builds.ts';
import { hasImage, type PlannedService } from '../../db/change-sets/apply/plan.ts';
import type { ResolvedImage } from '../../db/change-sets/apply/resolved-image.ts';
import { effect } from '../../db/engine/effect.ts';
import type { EnvironmentView } from '../../db/environments/environments.ts';
import { copyImage, ownImage as findOwnImage, pathOf } from '../../db/registry/own-image.ts';
import { resolveManifest } from '../../db/registry/references.ts';
import type { Repository } from '../../db/registry/repositories.ts';
import { registrySignIn } from '../../db/registry-credentials/registry-credentials.ts';
import { defined } from '../../domain/defined.ts';
import { Problem } from '../../domain/problems.ts';
import { type ImagePlatform, platformOf } from '../../domain/services/image-fit.ts';
import { type ImageReference, parseImage } from '../../domain/services/image-reference.ts';
import { outboundFault } from '../../outbound/failures.ts';
import { outsideVariants } from '../../outbound/outside-image.ts';
import { type Limits, type OutsideImage, resolveOutside } from '../../outbound/registry.ts';
import { resolveCommit } from '../builds/create-build.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { absentHere, repositoryOf } from '../registry/names-at-home.ts';

const timeoutMillis = 10_000;

interface Parts {
  caller: OrganizationCaller;
  server: ServerParts;
}

/** The digests of the images that these services are deployed with, by service. */
async function resolveImages(
  parts: Parts,
  environment: EnvironmentView,
  affected: readonly PlannedService[],
): Promise<Map<string, ResolvedImage & { reference: string }>> {
  const due = affected.filter((service) => hasImage(service) && service.reused === undefined && !service.suspended);
  const resolved = due.map(async (service) => {
    const reference = service.settings.source.imageRepository;
    const image = await resolvedImage(parts, environment, service, reference);
    return [service.serviceId, { ...image, reference }] as const;
  });
  return new Map(await Promise.all(resolved));
}

async function resolvedImage(
  parts: Parts,
  environment: EnvironmentView,
  service: PlannedService,
  reference: string,
): Promise<ResolvedImage> {
  const named = parseImage(reference);
  if (named === undefined) throw unresolved(service, reference, 'it is no name of an image');
  return named.own
    ? await ownImage(parts, environment, service, reference, named)
    : await outsideImage(parts, environment, service, reference, named);
}

async function ownImage(
  parts: Parts,
  { organizationId }: EnvironmentView,
  service: PlannedService,
  reference: string,
  named: ImageReference,
): Promise<ResolvedImage> {
  const { serviceId } = service;
  const { kysely } = parts.server.database;
  const here = { organizationId, serviceId };
  const unknown = (repository: string) =>
    unresolved(service, reference, `${repository} has no such image; push it first`);
  if (named.repository === '') {
    const { repository, found } = await findOwnImage(kysely, here, named);
    if (found === undefined) throw unknown(repository);
    return found;
  }
  // As it was named, so that people read where it came from.
  const called = (digest: string) => `${named.repository}${named.tag === undefined ? '' : `:${named.tag}`}@${digest}`;
  const { digest } = named;
  // One that was deployed before is the service's own by now, whoever may see where it came from.
  const before = digest === undefined ? undefined : (await findOwnImage(kysely, here, { digest })).found;
  if (before !== undefined) return { ...before, imageRef: called(before.image.digest) };
  const from = await repositoryOf(kysely, parts.caller, named.repository);
  if (from === undefined) throw unresolved(service, reference, `${named.repository} ${absentHere}`);
  const manifest = await resolveManifest(kysely, organizationId, from.id, digest ?? named.tag ?? 'latest');
  if (manifest === undefined) throw unknown(named.repository);
  await takeOver(parts, from, here, manifest.digest);
  const { found } = await findOwnImage(kysely, here, { digest: manifest.digest });
  if (found === undefined) throw unknown(named.repository);
  return { ...found, imageRef: called(manifest.digest) };
}

async function takeOver(
  { caller, server }: Parts,
  from: Repository,
  { organizationId, serviceId }: { organizationId: string; serviceId: string },
  digest: string,
): Promise<void> {
  const { database, settings } = server;
  const path = await pathOf(database.kysely, { organizationId, serviceId });
  const { projectId } = from;
  const to: Repository = { id: serviceId, organizationId, projectId, path };
  await effect(database, caller.author, (running) =>
    copyImage(running, from, to, digest, settings.REGISTRY_MANIFESTS_PER_REPOSITORY),
  );
}

async function outsideImage(
  { server }: Parts,
  { organizationId, projectId }: EnvironmentView,
  service: PlannedService,
  reference: string,
  { host, repository, tag, digest }: ImageReference,
): Promise<ResolvedImage> {
  const { registryCredentialId: id } = service.settings.source;
  const { kysely } = server.database;
  const credential =
    id === undefined
      ? undefined
      : await registrySignIn(kysely, server.keyring, organizationId, { id, host, usedFor: [projectId] });
  if (id !== undefined && credential === undefined) {
    throw unresolved(
      service,
      reference,
      `its registry credential was deleted, is not for this project or is not one of ${host}`,
    );
  }
  const asked = { host, repository, reference: digest ?? tag ?? 'latest', credential };
  const limits = { ...server.outbound, timeoutMillis };
  try {
    const resolved = await resolveOutside(asked, limits);
    const name = `${host}/${repository}`;
    return {
      platforms: await outsidePlatforms({ ...asked, reference: resolved }, limits),
      image: defined({ repository: name, digest: resolved, own: false, registryCredentialId: id }),
      imageRef: `${name}${tag === undefined ? '' : `:${tag}`}@${resolved}`,
    };
  } catch (error) {
    throw unresolved(service, reference, outboundFault(error).replace(/\.$/, ''));
  }
}

function unresolved({ name }: PlannedService, reference: string, why: string): Problem {
  return new Problem('image-not-resolved', `The image ${reference} of ${name} was not found: ${why}.`);
}

/** A registry that tells no more than the digest leaves it to the agent to refuse what does not run. */
async function outsidePlatforms(image: OutsideImage, limits: Limits): Promise<ImagePlatform[] | null> {
  try {
    return (await outsideVariants(image, limits)).map((one) => platformOf(one, one.annotations));
  } catch (error) {
    outboundFault(error);
    return null;
  }
}

/** What the sources of these services lead to now: images, and commits of which images are built first. Asked before the transaction. */
export async function resolveSources(
  parts: { caller: OrganizationCaller; server: ServerParts },
  environment: EnvironmentView,
  affected: readonly PlannedService[],
): Promise<{ images: Map<string, ResolvedImage & { reference: string }>; commits: Commits }> {
  const { server } = parts;
  const branch = environment.gitBranch ?? undefined;
  const { organizationId, projectId } = environment;
  const ofRepositories = affected.filter((one) => one.uploaded === undefined && needsBuild(one));
  const commits = ofRepositories.map(async ({ serviceId, name, settings: { source } }) => {
    const commit = await resolveCommit(server, { organizationId, projectId, name, source, branch });
    return [serviceId, { source, commit }] as const;
  });
  return { images: await resolveImages(parts, environment, affected), commits: new Map(await Promise.all(commits)) };
}
