import { type Affected, one } from '../../live/affected.ts';
import { after, type Deeds, type Kinds } from '../audit-log/deed.ts';

export const affected: Affected<'build'> = { build: (trpc, id) => [one(trpc.builds, id)] };

export const kinds: Kinds<'build'> = { build: 'Builds' };

export const deeds: Deeds<'build'> = {
  'build.requested': {
    label: 'Requested',
    done: ({ name, details }) => `requested the build ${name}${after(' for ', details.environment)}`,
  },
  'build.cancelled': { label: 'Cancelled', done: ({ name }) => `cancelled the build ${name}` },
};
