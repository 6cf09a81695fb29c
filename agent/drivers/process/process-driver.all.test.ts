import { afterAll } from 'vitest';
import { processGround } from '../../../test/machines/process-ground.ts';
import { DriverBench } from '../driver-bench.ts';
import { crowdContract } from '../driver-contract.ts';

const bench = await DriverBench.on(await processGround());
afterAll(() => bench.ground.close());

// The rest of the contract is in process-driver.test.ts.
crowdContract(() => bench, 25);
