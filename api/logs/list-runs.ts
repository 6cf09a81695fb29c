import { z } from 'zod';
import { Problem } from '../../domain/problems.ts';
import type { LogRun } from '../../protocol/logs.ts';
import { theCluster } from '../clusters/cluster.ts';
import { operation } from '../engine/operation.ts';
import { instanceLogPath, logRunSchema, presentRun } from './log-line.ts';
import { readLog } from './read-log.ts';

export const listRuns = operation({
  method: 'GET',
  url: '/api/v1/clusters/{id}/instances/{instanceId}/runs',
  summary: 'List the runs of an instance',
  description:
    'Newest first: each start with its exit and its place in the log. The agent notes the last 500; one of before 0.2 notes none.',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'refused',
  problems: ['not-found', 'cluster-not-ready'],
  path: instanceLogPath,
  result: logRunSchema,
  paged: { after: z.int(), defaultLimit: 50, maxLimit: 500 },
  async handle({ caller, path, page, server, signal }) {
    const cluster = await caller.see(theCluster, path.id);
    const reading = readLog(server, cluster, { instance: path.instanceId, tail: 0, follow: false }, signal);
    const runs = new Map<number, LogRun>();
    for (let next = await reading.next(); ; next = await reading.next()) {
      if (next.done) {
        const why =
          next.value === undefined ? 'Part of the answer was lost on its way: try again.' : next.value.message;
        if (why !== '') throw new Problem('cluster-not-ready', why);
        break;
      }
      if ('run' in next.value) runs.set(next.value.run.run, next.value.run);
    }
    const { after = Number.POSITIVE_INFINITY, limit } = page;
    const older = [...runs.values()].filter(({ run }) => run < after).sort((one, other) => other.run - one.run);
    const items = older.slice(0, limit);
    return { items: items.map(presentRun), after: older.length > limit ? items.at(-1)?.run : undefined };
  },
});
