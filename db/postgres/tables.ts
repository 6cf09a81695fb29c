import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { schemas } from '../schemas.ts';

/** Kysely's view of the tables, derived from the entities, in the database's own names. */
export type Tables = InferKyselyDB<(typeof schemas)[number], object>;
