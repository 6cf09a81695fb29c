import { after, type Deeds, type Kinds, plainDeed } from '../audit-log/deed.ts';

export const kinds: Kinds<'build'> = { build: 'Builds' };

export const deeds: Deeds<'build'> = {
  'build.requested': {
    label: 'Requested',
    done: ({ name, details }) => `requested the build ${name}${after(' for ', details.environment)}`,
  },
  'build.approved': plainDeed('Approved', 'approved the build'),
  'build.cancelled': plainDeed('Cancelled', 'cancelled the build'),
};
