import { type Deeds, plainDeed } from '../audit-log/deed.ts';

export const kinds = { workload: 'Workloads' };

export const deeds: Deeds<'workload'> = {
  'workload.applied': plainDeed('Applied', 'applied the workload', {
    release: ' in the release ',
    cluster: ' on the cluster ',
  }),
  'workload.removed': plainDeed('Removed', 'removed the workload', { cluster: ' from the cluster ' }),
};
