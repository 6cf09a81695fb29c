import { after, type Deeds, plainDeed } from '../audit-log/deed.ts';

export const kinds = { deployment: 'Deployments' };

export const deeds: Deeds<'deployment'> = {
  'deployment.requested': {
    label: 'Requested',
    done: ({ name, details }) =>
      `requested a ${details.kind === 'rerun' ? 'rerun of a deployment' : 'deployment'} of ${name}${after(' to ', details.environment)}`,
  },
  'deployment.cancelled': plainDeed('Cancelled', 'cancelled the deployment of', { environment: ' to ' }),
};
