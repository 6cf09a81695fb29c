import { sweepDeleted } from '../../test/operations/sweeps/deleted-sweep.ts';

sweepDeleted({ whole: true });
