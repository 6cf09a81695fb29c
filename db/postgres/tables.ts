import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { schemas } from '../schemas.ts';

/** What Kysely knows of the database: derived from the entities, in the database's own names. */
export type Tables = InferKyselyDB<(typeof schemas)[number], object>;
