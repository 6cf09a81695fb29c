import { after, type Deeds, type Kinds } from '../audit-log/deed.ts';

export const kinds: Kinds<'workload'> = { workload: 'Workloads' };

export const deeds: Deeds<'workload'> = {
  'workload.applied': {
    label: 'Applied',
    done: ({ name, details }) =>
      `applied the workload ${name}${after(' in the release ', details.release)}${after(' on the cluster ', details.cluster)}`,
  },
  'workload.removed': {
    label: 'Removed',
    done: ({ name, details }) => `removed the workload ${name}${after(' from the cluster ', details.cluster)}`,
  },
};
