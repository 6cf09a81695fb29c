import { type Commits, needsBuild } from '../../db/change-sets/apply/builds.ts';
import type { PlannedService } from '../../db/change-sets/apply/plan.ts';
import type { ResolvedImage } from '../../db/change-sets/apply/resolved-image.ts';
import type { EnvironmentView } from '../../db/environments/environments.ts';
import { resolveCommit } from '../builds/resolve-commit.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { resolveImages } from './resolve-images.ts';

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
