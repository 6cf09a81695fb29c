import { type Kysely, sql } from 'kysely';
import type { Tables } from '../postgres/tables.ts';
import type { ApprovalView } from './approvals.ts';
import { targetsOf } from './detail.ts';

interface Commit {
  sha: string;
  message: string;
  author: string;
  url: string;
  at: string;
}

interface Row {
  serviceId: string;
  service: string;
  sha: string | null;
  title: string | null;
  author: string;
  at: Date;
  /** The release that is to be deployed, or that a promotion takes its image from. */
  last: boolean;
  /** Of the image that is live: releases of other settings have it, too. */
  liveSha: string | null;
  built: boolean;
}

/**
 * Commits of the releases after the one that is live, up to those that an approval deploys: releases of a service are
 * numbered over its environments, so those of staging are among them. `withoutCommits`: nothing names theirs.
 */
export async function commitsOf(
  kysely: Kysely<Tables>,
  approval: ApprovalView,
): Promise<{ commits: Commit[]; withoutCommits: { id: string; name: string; built: boolean }[] }> {
  const ids = targetsOf(approval).map(({ releaseId }) => releaseId);
  if (ids.length === 0) return { commits: [], withoutCommits: [] };
  const { rows } = await sql<Row>`
    select service.id as "serviceId", service.name as service, release.git_commit_sha as sha, change_set.title,
      release.created_by as author, release.created_at as at, release.number = target.number as last,
      target."liveSha", release.build_id is not null as built
    from (
      select target.service_id, coalesce(origin.number, target.number) as number, coalesce(live.number, 0) as live,
        live.git_commit_sha as "liveSha"
      from release target
      left join release origin on origin.organization_id = target.organization_id
        and origin.id = target.promoted_from_release_id
      left join environment_service place on place.organization_id = target.organization_id
        and place.environment_id = target.environment_id and place.service_id = target.service_id
      left join release live on live.organization_id = target.organization_id and live.id = place.live_release_id
      where target.organization_id = ${approval.organizationId} and target.id = any(${ids}::uuid[])
    ) as target
    join service on service.organization_id = ${approval.organizationId} and service.id = target.service_id
    join release on release.organization_id = ${approval.organizationId} and release.service_id = target.service_id
      and (release.number = target.number or release.number > target.live and release.number < target.number)
    left join change_set on change_set.organization_id = ${approval.organizationId}
      and change_set.id = release.change_set_id
    order by release.created_at desc, release.number desc
    limit 500
  `.execute(kysely);
  const commits = new Map<string, Commit>();
  for (const { sha, title, author, at, liveSha } of rows) {
    if (sha !== null && sha !== liveSha && !commits.has(sha)) {
      commits.set(sha, { sha, message: title ?? '', author, url: '', at: at.toISOString() });
    }
  }
  const without = rows.filter(({ sha, last }) => last && sha === null);
  return {
    commits: [...commits.values()],
    withoutCommits: without.map(({ serviceId: id, service: name, built }) => ({ id, name, built })),
  };
}
