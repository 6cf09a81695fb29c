import { isDeepStrictEqual } from 'node:util';
import { Problem } from '../../../domain/problems.ts';
import type { ServiceSource } from '../../../domain/services/settings.ts';
import { type CommitSource, requestBuild } from '../../builds/request-build.ts';
import type { ProjectRef } from '../../deployments/admission.ts';
import type { Effect } from '../../engine/effect.ts';
import type { EnvironmentRef } from '../environment-ref.ts';
import { isRepository, type Plan, type PlannedService } from './plan.ts';

/** Commits that were resolved before the transaction, with the sources that name them, by service. */
export type Commits = ReadonlyMap<string, { source: ServiceSource; commit: CommitSource }>;

/** Whether its image is to be made first: its source is a repository of which nothing was built as it is wanted, or was uploaded for it. */
export function needsBuild(service: PlannedService): boolean {
  const { reused, suspended, uploaded } = service;
  const made = uploaded !== undefined || isRepository(service.settings.source);
  return made && reused === undefined && !suspended && Object.keys(service.settings.processes).length > 0;
}

/**
 * Requests the builds of a change set, by service. The deployment of each is to come: it will have the id of the build, so
 * that others can wait for it. While the change set is held, no build gets its turn.
 */
export async function requestBuilds(
  effect: Effect,
  { organizationId, projectId, environmentId }: EnvironmentRef & ProjectRef,
  { affected }: Plan,
  { changeSetId, title, commits = new Map(), answerableId, approvedBy }: BuildsAsked,
): Promise<Map<string, string>> {
  const builds = new Map<string, string>();
  for (const { serviceId, name, settings, uploaded } of affected.filter(needsBuild)) {
    const place = { organizationId, projectId, environmentId, serviceId };
    const common = { deploys: true, title, actorUserId: answerableId, changeSetId };
    if (uploaded !== undefined) {
      const source = { kind: 'upload', buildSourceId: uploaded } as const;
      const wanted = { ...place, ...common, source, trigger: 'upload', approvedBy } as const;
      builds.set(serviceId, await requestBuild(effect, wanted));
      continue;
    }
    const found = commits.get(serviceId);
    if (found === undefined || !isDeepStrictEqual(found.source, settings.source)) throw changed(name);
    const wanted = { ...place, ...common, source: found.commit, trigger: 'change-set', connected: true } as const;
    builds.set(serviceId, await requestBuild(effect, wanted));
  }
  return builds;
}

export interface BuildsAsked {
  changeSetId: string;
  title: string;
  /** Who asks for what was uploaded, and may decide in production alone. */
  approvedBy?: { id: string; name: string } | undefined;
  commits?: Commits | undefined;
  answerableId: string | undefined;
}

function changed(name: string): Problem {
  return new Problem(
    'change-set-changed',
    `The repository of ${name} was changed while its commit was looked up; look at the staged changes, then apply again.`,
  );
}
