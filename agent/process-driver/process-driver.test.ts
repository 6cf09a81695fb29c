import { processGround } from '../../test/process-ground.ts';
import { driverContract } from '../driver-contract.ts';

driverContract('process', processGround);
