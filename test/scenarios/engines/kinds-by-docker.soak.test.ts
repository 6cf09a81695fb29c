import { otherKinds } from '../../kinds/kinds.ts';
import { builtByDocker, sourcesOf } from './kinds-by-docker.ts';

builtByDocker(sourcesOf(otherKinds));
