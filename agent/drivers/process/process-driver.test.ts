import { describe } from 'vitest';
import { sampleCanBeMade } from '../../../test/images/sample-image.ts';
import { processGround } from '../../../test/machines/process-ground.ts';
import { driverContract } from '../driver-contract.ts';

describe.runIf(sampleCanBeMade())('the sample runs', () => driverContract('process', processGround, 4));
