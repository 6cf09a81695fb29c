import { after, type Deeds, type Kinds } from '../audit-log/deed.ts';

export const kinds: Kinds<'deployment'> = { deployment: 'Deployments' };

export const deeds: Deeds<'deployment'> = {
  'deployment.requested': {
    label: 'Requested',
    done: ({ name, details }) =>
      `requested a ${details.kind === 'rerun' ? 'rerun of a deployment' : 'deployment'} of ${name}${after(' to ', details.environment)}`,
  },
  'deployment.cancelled': {
    label: 'Cancelled',
    done: ({ name, details }) => `cancelled the deployment of ${name}${after(' to ', details.environment)}`,
  },
};
