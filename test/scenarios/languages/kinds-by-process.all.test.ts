import { sampledKinds } from '../../kinds/kinds.ts';
import { kindsByProcess } from './kinds-by-process.ts';

kindsByProcess(sampledKinds);
