import { sql } from 'kysely';
import { type BrokenSource, brokenColumns } from '../attention/broken.ts';
import { openActorRows } from './actors.ts';

/** Workflows that do not go on by themselves. */
export const stuckWorkflows: readonly BrokenSource[] = [
  {
    role: 'viewer',
    select: (organizationId, readable) => sql`
      select ${brokenColumns(sql`18`, sql`'workflow.stuck'`, sql`id::text`, {
        name: sql`name`,
        workflowId: sql`id`,
        workflowKind: sql`kind`,
        detail: sql`coalesce(blocker, message)`,
      })}
      from (${openActorRows(organizationId, readable)}) as opened where stuck`,
  },
];
