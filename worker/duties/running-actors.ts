import type { Temporal } from '../../temporal/connection/connect.ts';
import { hasStatus } from '../../temporal/connection/grpc-status.ts';

const pageSize = 1_000;

const isRunning = "ExecutionStatus = 'Running'";
/** Temporal's own search attribute of workflows with five tasks in a row that failed or ran out of time. */
export const reportedProblems = 'TemporalReportedProblems';
const isFailing = `${isRunning} AND ${reportedProblems} IS NOT NULL`;

type Reading = Pick<Temporal, 'connection' | 'namespace'>;

/** The ids of all workflows that Temporal's visibility calls running, with their start. It lags behind by moments. */
export async function runningActors({ connection, namespace }: Reading, query = isRunning): Promise<Map<string, Date>> {
  const running = new Map<string, Date>();
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await connection.workflowService.listWorkflowExecutions({
      namespace,
      query,
      pageSize,
      ...(nextPageToken === undefined ? {} : { nextPageToken }),
    });
    for (const { execution, startTime } of page.executions ?? []) {
      running.set(execution?.workflowId ?? '', new Date(Number(startTime?.seconds ?? 0) * 1_000));
    }
    nextPageToken = page.nextPageToken?.length ? page.nextPageToken : undefined;
  } while (nextPageToken !== undefined);
  return running;
}

/** How many `runningActors` would read: it costs as much for ten thousand as for ten. */
export async function countRunning({ connection, namespace }: Reading): Promise<number> {
  const { count } = await connection.workflowService.countWorkflowExecutions({ namespace, query: isRunning });
  return Number(count ?? 0);
}

/** Actors whose code fails or whose worker is late: one query for all. A server that does not know of such problems names none. */
export async function failingActors(temporal: Reading): Promise<Set<string>> {
  try {
    return new Set((await runningActors(temporal, isFailing)).keys());
  } catch (error) {
    if (hasStatus(error, 'invalidArgument')) return new Set();
    throw error;
  }
}
