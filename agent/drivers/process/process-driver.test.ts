import { processGround } from '../../../test/machines/process-ground.ts';
import { driverContract } from '../driver-contract.ts';

driverContract('process', processGround, 4);
