import { processGround } from '../../../test/ground/process-ground.ts';
import { driverContract } from '../driver-contract.ts';

driverContract('process', processGround);
