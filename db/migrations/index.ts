import type { Migration } from '@mikro-orm/migrations';
import type { Constructor } from '@mikro-orm/postgresql';
import { Migration20261120231124_first } from './Migration20261120231124_first.ts';
import { Migration20261121023746_identity } from './Migration20261121023746_identity.ts';
import { Migration20261121050222_clusters } from './Migration20261121050222_clusters.ts';
import { Migration20261121082703_workflows } from './Migration20261121082703_workflows.ts';
import { Migration20261121192338_signed_releases } from './Migration20261121192338_signed_releases.ts';
import { Migration20261121193000_crash_loops } from './Migration20261121193000_crash_loops.ts';
import { Migration20261121194509_admission } from './Migration20261121194509_admission.ts';
import { Migration20261121194938_sweeps } from './Migration20261121194938_sweeps.ts';
import { Migration20261121213031_sealed_output } from './Migration20261121213031_sealed_output.ts';

/** Every migration, in the order in which they run. What was released is never changed: a new one follows. */
export const migrations: { name: string; class: Constructor<Migration> }[] = [
  { name: 'Migration20261120231124_first', class: Migration20261120231124_first },
  { name: 'Migration20261121023746_identity', class: Migration20261121023746_identity },
  { name: 'Migration20261121050222_clusters', class: Migration20261121050222_clusters },
  { name: 'Migration20261121082703_workflows', class: Migration20261121082703_workflows },
  { name: 'Migration20261121192338_signed_releases', class: Migration20261121192338_signed_releases },
  { name: 'Migration20261121193000_crash_loops', class: Migration20261121193000_crash_loops },
  { name: 'Migration20261121194509_admission', class: Migration20261121194509_admission },
  { name: 'Migration20261121194938_sweeps', class: Migration20261121194938_sweeps },
  { name: 'Migration20261121213031_sealed_output', class: Migration20261121213031_sealed_output },
];
