import fc from 'fast-check';
import { inject } from 'vitest';
import type {} from './seed.ts';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: inject('seed') });

/** Properties whose examples are drawn by the seed of the run. */
export { fc };
