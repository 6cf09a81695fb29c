import { Problem } from '../../domain/problems.ts';
import { logCursor, logPosition } from '../../protocol/logs.ts';
import { theCluster } from '../clusters/cluster.ts';
import { operation } from '../engine/operation.ts';
import { instanceLogPath, logLineSchema, presentLine } from './log-line.ts';
import { readLog } from './read-log.ts';

export const listLogLines = operation({
  method: 'GET',
  url: '/api/v1/clusters/{id}/instances/{instanceId}/logs',
  summary: 'List the log lines of an instance',
  description:
    'Oldest first, all runs of the instance, as far back as the machine keeps them. The last page is the one without `nextCursor`.',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'refused',
  problems: ['not-found', 'cluster-not-ready'],
  path: instanceLogPath,
  result: logLineSchema
    .extend({
      missingFrom: logPosition
        .optional()
        .describe('Lines from this position on were deleted on the machine before they were read.'),
    })
    .meta({ id: 'InstanceLogPageLine' }),
  paged: { after: logCursor, defaultLimit: 200, maxLimit: 1000 },
  async handle({ caller, path, page, server, signal }) {
    const cluster = await caller.see(theCluster, path.id);
    const from = page.after === undefined ? {} : { from: page.after };
    const reading = readLog(server, cluster, { instance: path.instanceId, ...from, follow: false }, signal);
    const items: (ReturnType<typeof presentLine> & { missingFrom?: number })[] = [];
    const missing = { stdout: undefined as number | undefined, stderr: undefined as number | undefined };
    let after = page.after;
    for (let next = await reading.next(); ; next = await reading.next()) {
      if (next.done) {
        const why = next.value === undefined ? 'Part of the log was lost on its way: try again.' : next.value.message;
        if (why !== '') throw new Problem('cluster-not-ready', why);
        return { items, after: undefined };
      }
      const told = next.value;
      if ('missing' in told) {
        missing[told.missing.stream] ??= told.missing.from;
        continue;
      }
      if ('run' in told) continue;
      // One more than fits says that there is a next page, which begins with it.
      if (items.length === page.limit) {
        await reading.return(undefined);
        return { items, after };
      }
      const { stream } = told.line;
      const { [stream]: missingFrom } = missing;
      missing[stream] = undefined;
      items.push({ ...presentLine(told.line), ...(missingFrom === undefined ? {} : { missingFrom }) });
      after = { ...told.cursor };
    }
  },
});
