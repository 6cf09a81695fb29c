import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { schemas } from '../schemas.ts';

/** Kysely's view of every table, derived from the entities, in the database's own names. */
export type AllTables = InferKyselyDB<(typeof schemas)[number], object>;
