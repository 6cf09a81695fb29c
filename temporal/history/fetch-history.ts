import proto from '@temporalio/proto';
import type { Temporal } from '../connection/connect.ts';
import { hasStatus } from '../connection/grpc-status.ts';

const { History } = proto.temporal.api.history.v1;

export interface FetchedPage {
  runId: string;
  /** From 0, in order. */
  page: number;
  /** A `temporal.api.history.v1.History`, its payloads as encrypted as Temporal holds them. */
  bytes: Buffer;
}

type Reached = Pick<Temporal, 'connection' | 'namespace'>;

/** The most that Temporal gives at once. */
const pageSize = 256;

/** The complete history of an actor, from the first run that Temporal still has to the last one. */
export async function* fetchHistory(temporal: Reached, actorId: string, lastRun: string): AsyncGenerator<FetchedPage> {
  for (const runId of await runsUpTo(temporal, actorId, lastRun)) yield* fetchRun(temporal, actorId, runId);
}

/** The history of one run. */
export async function* fetchRun(temporal: Reached, actorId: string, runId: string): AsyncGenerator<FetchedPage> {
  let token: Uint8Array | undefined;
  let page = 0;
  do {
    const fetched = await fetchPage(temporal, actorId, runId, pageSize, token);
    const { events } = fetched.history ?? {};
    if (events?.length) {
      yield { runId, page, bytes: Buffer.from(History.encode({ events }).finish()) };
      // An answer without events takes no number: a gap in the archive would read as a page that is missing.
      page += 1;
    }
    token = fetched.nextPageToken?.length ? fetched.nextPageToken : undefined;
  } while (token);
}

/**
 * An actor that continues as new has a run for each time; every run names the one before it. The first of them that are
 * known otherwise need not be asked for.
 */
export async function runsUpTo(
  temporal: Reached,
  actorId: string,
  lastRun: string,
  known: ReadonlySet<string> = new Set(),
): Promise<string[]> {
  const runs: string[] = [];
  for (let runId = lastRun; runId && !runs.includes(runId) && !known.has(runId); ) {
    let before = '';
    try {
      const { history } = await fetchPage(temporal, actorId, runId, 1, undefined);
      before = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? '';
    } catch (error) {
      // An earlier run may be older than what Temporal keeps; the last one is known to be there.
      if (runs.length === 0 || !hasStatus(error, 'notFound')) throw error;
      break;
    }
    runs.unshift(runId);
    runId = before;
  }
  return runs;
}

function fetchPage(
  { connection, namespace }: Reached,
  workflowId: string,
  runId: string,
  maximumPageSize: number,
  token: Uint8Array | undefined,
) {
  return connection.workflowService.getWorkflowExecutionHistory({
    namespace,
    execution: { workflowId, runId },
    maximumPageSize,
    skipArchival: true,
    ...(token ? { nextPageToken: token } : {}),
  });
}
