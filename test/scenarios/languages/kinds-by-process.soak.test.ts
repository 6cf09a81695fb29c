import { otherKinds } from '../../kinds/kinds.ts';
import { kindsByProcess } from './kinds-by-process.ts';

kindsByProcess(otherKinds);
