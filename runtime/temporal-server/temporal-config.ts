import { type CertificateFiles, serverName } from '../home/certificates.ts';
import type { TemporalPort } from '../home/home-record.ts';
import { databases, socketPort } from '../postgres/postgres-address.ts';
import { historyShards } from '../supervisor/versions.ts';

interface TemporalConfig {
  ports: Record<TemporalPort, number>;
  /** Of PostgreSQL. */
  sockets: string;
  password: string;
  certificates: CertificateFiles;
  dynamicConfigPath: string;
}

const here = '127.0.0.1';

/** Configuration of the embedded Temporal. JSON is YAML, so no path or password can be misread as syntax. */
export function temporalConfig({ ports, sockets, password, certificates, dynamicConfigPath }: TemporalConfig): string {
  const database = (databaseName: string, connections: number) => ({
    sql: {
      ...throughSocket.config(sockets),
      databaseName,
      user: 'temporal',
      password,
      maxConns: connections,
      maxIdleConns: connections,
      // Each takes 2 MB of PostgreSQL: at rest 10 of the 30 that a start opens are left two minutes later. While there is work, a
      // connection is made anew every four seconds.
      maxConnLifetime: '2m',
    },
  });
  const rpc = (membershipPort: number, grpcPort?: number) => ({
    rpc: { bindOnIP: here, membershipPort, ...(grpcPort === undefined ? {} : { grpcPort }) },
  });
  return json({
    log: { stdout: true, level: 'warn' },
    persistence: {
      numHistoryShards: historyShards,
      defaultStore: 'default',
      visibilityStore: 'visibility',
      datastores: {
        default: database(databases.temporal, 20),
        visibility: database(databases.temporalVisibility, 10),
      },
    },
    global: {
      membership: { maxJoinDuration: '30s', broadcastAddress: here },
      tls: tls(certificates),
    },
    // No httpPort, no metrics, no pprof: they ask nobody for a certificate.
    services: {
      frontend: rpc(ports.temporalFrontendMembership, ports.temporal),
      history: rpc(ports.temporalHistoryMembership, ports.temporalHistory),
      matching: rpc(ports.temporalMatchingMembership, ports.temporalMatching),
      // No client calls this role, so it takes a free port.
      worker: rpc(ports.temporalWorkerMembership),
    },
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: `${here}:${ports.temporal}`,
        },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    dynamicConfigClient: { filepath: dynamicConfigPath, pollInterval: '60s' },
  });
}

/**
 * How Temporal's programs reach PostgreSQL through its socket: pgx takes the attribute `host` before the address, which
 * they demand nevertheless. It names no machine, so that nothing can ever be sent to one.
 */
export const throughSocket = {
  plugin: 'postgres12_pgx',
  host: 'postgresql.invalid',
  config: (sockets: string) => ({
    pluginName: throughSocket.plugin,
    connectAddr: `${throughSocket.host}:${socketPort}`,
    connectProtocol: 'unix',
    connectAttributes: { host: sockets },
  }),
  arguments: (sockets: string) => [
    ...['--plugin', throughSocket.plugin, '--endpoint', throughSocket.host, '--port', String(socketPort)],
    ...['--connect-attributes', new URLSearchParams({ host: sockets }).toString()],
  ],
};

/** Every service of Temporal asks every caller for a certificate of ours, its own services included. */
function tls(certificates: CertificateFiles): object {
  const server = {
    certFile: certificates.serverCert,
    keyFile: certificates.serverKey,
    clientCaFiles: [certificates.ca],
    requireClientAuth: true,
  };
  const client = { serverName, rootCaFiles: [certificates.ca] };
  return {
    internode: { server, client },
    frontend: { server, client },
    systemWorker: { certFile: certificates.serverCert, keyFile: certificates.serverKey, client },
  };
}

/** Measured on two cores: the defaults make a single server wait for itself (see docs/architecture.md). */
export function temporalDynamicConfig(): string {
  const values = {
    'history.transferProcessorMaxPollRPS': 2000,
    'history.timerProcessorMaxPollRPS': 2000,
    'history.visibilityProcessorMaxPollRPS': 2000,
    // The reconciler lists whole sets; the default is 10 a second.
    'frontend.namespaceRPS.visibility': 100,
    // A repaired program continues within half a minute instead of ten; the reconciler finds its tasks meanwhile.
    'history.workflowTaskRetryMaxInterval': '30s',
    'system.numConsecutiveWorkflowTaskProblemsToTriggerSearchAttribute': 5,
    'matching.numTaskqueueReadPartitions': 1,
    'matching.numTaskqueueWritePartitions': 1,
    'system.enableEagerWorkflowStart': true,
    'system.enableActivityEagerExecution': true,
    // A stranger that joins the cluster could redirect its services.
    'system.enableRingpopTLS': true,
  };
  return json(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [{ value }]])));
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
