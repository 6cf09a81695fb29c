import { type DataTag, type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import type { ComponentProps, ReactNode } from 'react';
import { AffectedList, numbered } from '../../components/dialogs/affected-list.tsx';
import { sizeText } from '../services/processes/volume-size.ts';

export type Impacts = ComponentProps<typeof AffectedList>['affected'];

interface ImpactProps<Answer> {
  /** The question what a deletion would end: `trpc.projects.deletionImpact.queryOptions({ path: { id } })`. */
  options: { queryKey: DataTag<QueryKey, Answer, unknown> };
  lines: (impact: Answer) => Impacts;
  /** In general; with the impact once it is known. */
  children: (impact: Answer | undefined) => ReactNode;
}

/** The consequences of a deletion: in general, and counted. */
export function Impact<Answer>({ options, lines, children }: ImpactProps<Answer>) {
  const { data, isError } = useQuery(options as unknown as UseQueryOptions<Answer>);
  return (
    <div className="grid gap-4">
      {children(data)}
      {data !== undefined && <AffectedList affected={lines(data)} />}
      {data === undefined && <p>{isError ? 'What it concerns could not be loaded.' : 'Loading what it concerns…'}</p>}
    </div>
  );
}

interface Ended {
  volumes: { count: number; sizeBytes: number };
  backups: { count: number; sizeBytes: number };
  inFlightDeployments: number;
  pendingApprovals: number;
  stagedChanges: number;
}

/** Of an environment and of a project alike: what ends, then what is kept. */
export function endedWith({ volumes, backups, inFlightDeployments, pendingApprovals, stagedChanges }: Ended): Impacts {
  const [size, stored] = [sizeText(volumes.sizeBytes), sizeText(backups.sizeBytes)];
  return [
    { what: numbered('deployment is cancelled', 'deployments are cancelled'), count: inFlightDeployments },
    { what: numbered('approval is closed', 'approvals are closed'), count: pendingApprovals },
    { what: numbered('staged change is discarded', 'staged changes are discarded'), count: stagedChanges },
    {
      what: numbered(`volume is kept until the purge, ${size}`, `volumes are kept until the purge, ${size}`),
      count: volumes.count,
    },
    {
      what: numbered(`backup stays in its store, ${stored}`, `backups stay in their stores, ${stored}`),
      count: backups.count,
    },
  ];
}
