import { sql } from 'kysely';
import { isId } from '../../domain/ids.ts';
import { type Finder, foundColumns } from '../search/finder.ts';
import { actorRows, openActorRows } from './actors.ts';

/** Those that run; by its id, a finished one, too. */
export const foundWorkflows: Finder = {
  kind: 'workflow',
  select: (organizationId, sought) => {
    const { text, workflows } = sought;
    const rows =
      isId(text) && workflows.length > 0
        ? actorRows(organizationId, text, workflows)
        : openActorRows(organizationId, workflows);
    return sql`
      select ${foundColumns(sought, 'workflow', { id: sql`found.id`, name: sql`found.name`, detail: sql`found.kind`, state: sql`found.state` })}
      from (${rows}) as found`;
  },
};
