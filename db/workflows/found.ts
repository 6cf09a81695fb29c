import { sql } from 'kysely';
import { type Finder, foundColumns } from '../search/finder.ts';
import { openActorRows } from './actors.ts';

/** Those that run. */
export const foundWorkflows: Finder = {
  kind: 'workflow',
  role: 'admin',
  projectTokens: 'refused',
  select: (organizationId, text) => sql`
    select ${foundColumns(text, 'workflow', { id: sql`opened.id`, name: sql`opened.name`, detail: sql`opened.kind` })}
    from (${openActorRows(organizationId)}) as opened`,
};
