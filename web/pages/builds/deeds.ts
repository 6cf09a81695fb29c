import { type Deeds, plainDeed } from '../audit-log/deed.ts';

export const kinds = { build: 'Builds' };

export const deeds: Deeds<'build'> = {
  'build.requested': plainDeed('Requested', 'requested the build', { environment: ' for ' }),
  'build.approved': plainDeed('Approved', 'approved the build'),
  'build.cancelled': plainDeed('Cancelled', 'cancelled the build'),
};
