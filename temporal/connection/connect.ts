import { setTimeout as pause } from 'node:timers/promises';
import {
  Client,
  Connection,
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
  type TLSConfig,
  type WorkflowClientInterceptor,
} from '@temporalio/client';
import { dataConverter, type PayloadKeys } from './codec.ts';
import { hasStatus } from './grpc-status.ts';

export interface TemporalAddress {
  address: string;
  namespace: string;
  tls: boolean | TlsFiles;
  apiKey?: string;
}

/** Contents of PEM files. */
export interface TlsFiles {
  ca?: Buffer;
  cert?: Buffer;
  key?: Buffer;
  serverName?: string;
}

export interface Temporal {
  client: Client;
  connection: Connection;
  namespace: string;
  /** Whether Temporal and its databases answer, within two seconds. */
  reachable(): Promise<boolean>;
  close(): Promise<void>;
}

interface Connecting extends TemporalAddress {
  keys: PayloadKeys;
  /** Interceptors of the workflow client: tracing, when it is on. */
  interceptors?: WorkflowClientInterceptor[];
}

const callDeadline = 5_000;
/** Waiting for a workflow's end is a poll that the server holds open for up to 20 s. */
const longPollDeadline = 30_000;

/** Four attempts are over in a second: who calls us has a better plan for an outage than to wait here. */
const retries = defaultGrpcRetryOptions({ maxAttempts: 4 });
const timerSlack = 10;

/** Connects at the first call, not before: the API starts while Temporal is away, and gRPC finds it when it is back. */
export function connectTemporal({ keys, interceptors = [], ...to }: Connecting): Temporal {
  let closed = false;
  let lastRetry = 0;
  const retrying = makeGrpcRetryInterceptor({
    retryableDecider: (attempt, status) => !closed && retries.retryableDecider(attempt, status),
    delayFunction: (attempt, status) => {
      const millis = retries.delayFunction(attempt, status);
      lastRetry = Math.max(lastRetry, performance.now() + millis);
      return millis;
    },
  });
  const connection = Connection.lazy({
    ...endpoint(to),
    interceptors: [
      (call, next) => retrying({ ...call, deadline: call.deadline ?? Date.now() + deadlineOf(call) }, next),
    ],
    // Left alone gRPC tries again after two minutes only, long after Temporal is back.
    channelArgs: {
      'grpc.initial_reconnect_backoff_ms': 200,
      'grpc.max_reconnect_backoff_ms': 2_000,
      'grpc.keepalive_permit_without_calls': 1,
      'grpc.keepalive_time_ms': 30_000,
      'grpc.keepalive_timeout_ms': 15_000,
    },
  });
  const client = new Client({
    connection,
    namespace: to.namespace,
    dataConverter: dataConverter(keys),
    interceptors: { workflow: interceptors },
  });
  return {
    client,
    connection,
    namespace: to.namespace,
    reachable: () =>
      connection
        .withDeadline(Date.now() + 2_000, () => asksItsDatabases(connection))
        .then(
          () => true,
          () => false,
        ),
    close: async () => {
      closed = true;
      // An attempt that is due after the end of its connection throws where nobody can catch it, and ends the process.
      const due = lastRetry - performance.now();
      // Timers are exact to a millisecond, and that attempt has to be the earlier one.
      if (due > -timerSlack) await pause(due + timerSlack);
      await connection.close();
    },
  };
}

/**
 * Temporal answers from memory what it knows of itself; for a workflow, and for how many there are, it has to look. The question is
 * of its own namespace: of ours it would keep in mind what there is before its search attributes are made. A refusal there is an answer, too.
 */
async function asksItsDatabases({ workflowService }: Connection): Promise<void> {
  const [namespace, workflowId] = ['temporal-system', 'nobody'];
  const asked = [
    workflowService.describeWorkflowExecution({ namespace, execution: { workflowId } }),
    workflowService.countWorkflowExecutions({ namespace, query: `WorkflowId = '${workflowId}'` }),
  ];
  for (const { status, reason } of (await Promise.allSettled(asked)) as PromiseRejectedResult[])
    if (status === 'rejected' && !hasStatus(reason, 'notFound', 'permissionDenied')) throw reason;
}

/** The address and credentials, in the form that the client's and the worker's native connection share. */
export function endpoint({ address, tls, apiKey }: TemporalAddress): {
  address: string;
  tls: TLSConfig | boolean;
  apiKey?: string;
} {
  return { address, tls: typeof tls === 'boolean' ? tls : tlsConfig(tls), ...(apiKey === undefined ? {} : { apiKey }) };
}

function tlsConfig({ ca, cert, key, serverName }: TlsFiles): TLSConfig {
  return {
    ...(ca ? { serverRootCACertificate: ca } : {}),
    ...(cert && key ? { clientCertPair: { crt: cert, key } } : {}),
    ...(serverName === undefined ? {} : { serverNameOverride: serverName }),
  };
}

type Call = Parameters<NonNullable<ConnectionOptions['interceptors']>[number]>[0];

function deadlineOf(call: Call): number {
  return call.method_definition.path.endsWith('/GetWorkflowExecutionHistory') ? longPollDeadline : callDeadline;
}
