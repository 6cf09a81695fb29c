import { type TestAPI, test } from 'vitest';
import { sampleCanBeMade } from './sample-image.ts';

/** A test of a file whose every test runs the sample, also in what is done before all of them. */
export const sampleTest = test.runIf(sampleCanBeMade()) as TestAPI;
