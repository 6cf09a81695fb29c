import { sweepIds } from '../../test/operations/sweeps/id-sweep.ts';

sweepIds({ whole: true });
