import type { LinkProps } from '@tanstack/react-router';

/** Where the log of an instance or of a workload is; with `failing`, at the last run that failed. */
export function logLink(
  { organization, cluster }: { organization: string; cluster: string },
  of: { instance: string } | { workload: string },
  choice: { failing?: true } = {},
): LinkProps {
  if ('instance' in of) {
    return {
      to: '/$organization/clusters/$cluster/instances/$instance',
      params: { organization, cluster, instance: of.instance },
      search: choice,
    };
  }
  return {
    to: '/$organization/clusters/$cluster/workloads/$workload/log',
    params: { organization, cluster, workload: of.workload },
    search: choice,
  };
}
