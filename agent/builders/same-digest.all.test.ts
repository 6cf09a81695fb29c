import { sampledKinds } from '../../test/kinds/kinds.ts';
import { sameDigests } from '../../test/kinds/same-digest.ts';

sameDigests(sampledKinds);
