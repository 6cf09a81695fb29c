import type { Kysely } from 'kysely';
import { appliedSettings } from '../change-sets/applied.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import { referencesIn } from '../references/referred.ts';
import type { ApprovalView } from './approvals.ts';

export interface Check {
  id: 'build' | 'image' | 'digest' | 'variables' | 'capacity';
  status: 'passed' | 'failed' | 'skipped';
  detail: string;
  /** How long looking it up took. */
  durationSeconds: number;
}

export interface Target {
  serviceId: string;
  releaseId: string;
  contentDigest: string;
}

/** The services that depend on those which an approval changes or refer to them, and are not changed themselves. */
export async function blastRadius(
  kysely: Kysely<Tables>,
  approval: ApprovalView,
): Promise<{ id: string; name: string; slug: string }[]> {
  const settings = await appliedSettings(kysely, approval);
  if (settings.size === 0) return [];
  const services = await tenant(kysely, approval.organizationId)
    .selectFrom('service')
    .select(['id', 'name', 'slug'])
    .where('id', 'in', [...settings.keys()])
    .orderBy('name')
    .execute();
  const targets = new Set(targetsOf(approval).map(({ serviceId }) => serviceId));
  const reached = new Set(services.filter(({ id }) => targets.has(id)).map(({ slug }) => slug));
  const leads = (await referencesIn(kysely, approval))?.applied.refersTo();
  const ids = new Set(targets);
  const radius = new Map<string, (typeof services)[number]>();
  for (let before = -1; before < radius.size; ) {
    before = radius.size;
    for (const service of services) {
      const depends = settings.get(service.id)?.dependsOn.some((slug) => reached.has(slug)) === true;
      const refers = [...(leads?.get(service.id)?.keys() ?? [])].some((id) => ids.has(id));
      if (targets.has(service.id) || radius.has(service.id) || (!depends && !refers)) continue;
      radius.set(service.id, service);
      reached.add(service.slug);
      ids.add(service.id);
    }
  }
  return [...radius.values()];
}

/** Facts that are looked up anew each time somebody opens the approval. */
export async function checksOf(kysely: Kysely<Tables>, approval: ApprovalView): Promise<Check[]> {
  const began = performance.now();
  const own = tenant(kysely, approval.organizationId);
  const targets = targetsOf(approval);
  const ids = targets.map(({ releaseId }) => releaseId);
  const releases = ids.length === 0 ? [] : await own.selectFrom('release').selectAll().where('id', 'in', ids).execute();
  const equal = targets.every(
    (one) => releases.find(({ id }) => id === one.releaseId)?.content_digest === one.contentDigest,
  );
  const keys = releases.reduce((sum, { variable_keys: names }) => sum + names.length, 0);
  const images = releases.map(({ image_ref: image }) => image).join(', ');
  const nothing = 'Nothing is deployed.';
  const built = releases.filter(({ build_id: build }) => build !== null).length;
  const toBuild = await buildsOf(kysely, approval);
  const durationSeconds = secondsSince(began);
  const has = targets.length > 0;
  const found: Omit<Check, 'durationSeconds'>[] = [
    {
      id: 'build',
      status: built > 0 ? 'passed' : 'skipped',
      detail:
        toBuild.length > 0
          ? `Approved, it builds first: ${toBuild.map(commitOf).join('; ')}. What is built is deployed without another approval.`
          : !has
            ? nothing
            : built > 0
              ? `${built} of ${targets.length} images were built here.`
              : 'The images were built elsewhere.',
    },
    { id: 'image', status: has ? 'passed' : 'skipped', detail: has ? `Resolved to ${images}.` : nothing },
    {
      id: 'digest',
      status: has ? (equal ? 'passed' : 'failed') : 'skipped',
      detail: has ? (equal ? 'The releases are as they were requested.' : 'A release differs.') : nothing,
    },
    { id: 'variables', status: has ? 'passed' : 'skipped', detail: has ? `${keys} are frozen.` : nothing },
  ];
  return [...found.map((check) => ({ ...check, durationSeconds })), await capacity(kysely, approval)];
}

interface ToBuild {
  name: string;
  repository: string;
  gitUrl: string;
  commitSha: string;
  branch: string;
}

/** The images that its change set waits for: nobody has them before it is approved, so that their commits are what is approved. */
async function buildsOf(kysely: Kysely<Tables>, { organizationId, changeSetId }: ApprovalView): Promise<ToBuild[]> {
  if (changeSetId === null) return [];
  return await tenant(kysely, organizationId)
    .selectFrom('build')
    .innerJoin('service', 'service.id', 'build.service_id')
    .select(['service.name', 'build.repository', 'build.git_url as gitUrl', 'build.commit_sha as commitSha'])
    .select('build.branch')
    .where('build.change_set_id', '=', changeSetId)
    .orderBy('service.name')
    .execute();
}

function commitOf({ name, repository, gitUrl, commitSha, branch }: ToBuild): string {
  return `${name} of ${repository || gitUrl} at ${commitSha.slice(0, 12)}${branch === '' ? '' : ` (${branch})`}`;
}

/** To the millisecond. */
function secondsSince(began: number): number {
  return Math.round(performance.now() - began) / 1_000;
}

async function capacity(kysely: Kysely<Tables>, { organizationId, environmentId }: ApprovalView): Promise<Check> {
  const began = performance.now();
  const cluster = await tenant(kysely, organizationId)
    .selectFrom('environment')
    .innerJoin('cluster', 'cluster.id', 'environment.cluster_id')
    .leftJoin('cluster_agent', 'cluster_agent.cluster_id', 'cluster.id')
    .select(['cluster.name', 'cluster_agent.contact'])
    .where('environment.id', '=', environmentId)
    .executeTakeFirst();
  const check = { id: 'capacity', durationSeconds: secondsSince(began) } as const;
  if (cluster === undefined) return { ...check, status: 'failed', detail: 'The environment has no cluster.' };
  const { name, contact } = cluster;
  if (contact !== 'connected') return { ...check, status: 'failed', detail: `${name} is not in contact.` };
  return { ...check, status: 'passed', detail: `${name} is in contact.` };
}

/** The releases that an approval is about, as it was requested. */
export function targetsOf({ target }: ApprovalView): Target[] {
  const releases = (target as { releases?: Target[] } | null)?.releases;
  return Array.isArray(releases) ? releases : [];
}
