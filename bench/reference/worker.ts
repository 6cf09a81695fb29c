import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { Pool } from 'pg';

/** The least of a Temporal worker, with the settings of ours: it serves two workflows and one activity and tells when it is ready. */
const env = (name: string): string => process.env[name] ?? '';
Runtime.install({ shutdownSignals: [] });
const connection = await NativeConnection.connect({
  address: env('TEMPORAL_ADDRESS'),
  tls: {
    serverNameOverride: env('TEMPORAL_TLS_SERVER_NAME'),
    serverRootCACertificate: readFileSync(env('TEMPORAL_TLS_CA_FILE')),
    clientCertPair: {
      crt: readFileSync(env('TEMPORAL_TLS_CERT_FILE')),
      key: readFileSync(env('TEMPORAL_TLS_KEY_FILE')),
    },
  },
});
const pool = new Pool({ connectionString: env('DATABASE_URL'), max: 16 });
const worker = await Worker.create({
  connection,
  namespace: env('TEMPORAL_NAMESPACE'),
  taskQueue: 'bare',
  workflowBundle: { codePath: env('BUNDLE') },
  activities: {
    statement: async () => {
      await pool.query('select 1');
    },
  },
  maxConcurrentActivityTaskExecutions: 40,
  maxCachedWorkflows: 250,
});
const http = createServer((_, answer) => answer.writeHead(200).end());
process.once('SIGTERM', () => worker.shutdown());
const running = worker.run();
http.listen(Number(env('WORKER_PORT')), '127.0.0.1');
await running;
process.exit(0);
