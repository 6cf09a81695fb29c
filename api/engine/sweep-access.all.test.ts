import { sweepAccess } from '../../test/operations/sweeps/access-sweep.ts';

sweepAccess({ whole: true });
