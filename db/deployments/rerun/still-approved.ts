import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { deciders } from '../../approvals/approvals.ts';
import { recordedAuthors } from '../../approvals/authors.ts';
import type { Effect } from '../../engine/effect.ts';
import type { JsonObject } from '../../postgres/json.ts';
import { tenant } from '../../postgres/tenant.ts';
import { type Down, downtimeOf } from '../admission/downtime.ts';
import type { ReleaseToDeploy } from '../request-deployment.ts';
import type { Original } from '../rerun.ts';
import { withReplicasOf } from '../restore-settings.ts';

/**
 * The approval of an earlier deployment, where it was given for exactly this release and nothing that the person relied on
 * has changed since: else a rerun is held for a new one.
 */
export async function stillApproved(
  effect: Effect,
  release: ReleaseToDeploy,
  original: Original,
): Promise<{ id: string; by: string } | undefined> {
  const { approvalId, settings, content, digest } = original;
  // Before its claim nothing says on which cluster it was to run.
  if (approvalId === null || original.clusterId === null) return undefined;
  if (original.clusterId !== original.environmentClusterId) return undefined;
  if (settings === null || original.appliedDigest !== digest) return undefined;
  if (!isDeepStrictEqual(withReplicasOf(content.settings, settings), settings)) return undefined;
  const approval = await approvalOf(effect, release, approvalId);
  if (approval === undefined) return undefined;
  const { basis, target, impact, byId, by } = approval;
  if (!isAbout(target, release.id, digest)) return undefined;
  if (!wasLive(basis, release.serviceId, original.liveReleaseId)) return undefined;
  if (!(await deciders(effect.kysely, release.organizationId)).includes(byId)) return undefined;
  if (impact.requiresDowntime !== true && (await downOf(effect, release, original, settings)).length > 0)
    return undefined;
  return { id: approvalId, by };
}

interface EarlierApproval {
  basis: JsonObject;
  target: JsonObject;
  impact: JsonObject;
  byId: string;
  by: string;
}

/** One that was given by somebody of whom no part of it is, without breaking the glass, and not longer ago than it might have waited. */
async function approvalOf(
  { kysely }: Effect,
  { organizationId, environmentId }: ReleaseToDeploy,
  id: string,
): Promise<EarlierApproval | undefined> {
  const row = await tenant(kysely, organizationId)
    .selectFrom('approval')
    .select(['basis', 'target', 'impact', 'decided_by_id as byId', 'decided_by_name as by'])
    .select(recordedAuthors(organizationId).as('authors'))
    .where('id', '=', id)
    .where('environment_id', '=', environmentId)
    .where('decision', '=', 'approved')
    .where('self_approved', '=', false)
    .where('broken_glass', '=', false)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  if (row === undefined || row.byId === null) return undefined;
  // An earlier version let them.
  if (row.authors.some((author) => author.id === row.byId)) return undefined;
  return { ...row, byId: row.byId, by: row.by ?? '' } as EarlierApproval;
}

function isAbout({ releases }: JsonObject, releaseId: string, contentDigest: string): boolean {
  return Array.isArray(releases) && releases.some((one) => isTarget(one, releaseId, contentDigest));
}

function isTarget(one: unknown, releaseId: string, contentDigest: string): boolean {
  const target = Object(one) as JsonObject;
  return target.releaseId === releaseId && target.contentDigest === contentDigest;
}

/** The difference that was shown began at the release that is live. */
function wasLive(basis: JsonObject, serviceId: string, liveReleaseId: string | null): boolean {
  const of = basis[serviceId];
  return typeof of === 'object' && of !== null && 'live' in of && of.live === liveReleaseId;
}

async function downOf(
  { kysely }: Effect,
  release: ReleaseToDeploy,
  { runsAs, liveReleaseId }: Original,
  settings: NonNullable<Original['settings']>,
): Promise<Down[]> {
  const { serviceId } = release;
  const replaces = liveReleaseId === release.id || { runsAs };
  return await downtimeOf(kysely, release, [{ serviceId, settings, replaces }]);
}
