import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Client, Connection, WorkflowIdReusePolicy } from '@temporalio/client';
import Fastify from 'fastify';
import { Pool } from 'pg';
import { auditStatement, deleteStatement, insertDeletion, lockOrganization, sessionQuery } from './statements.ts';

/**
 * The plain way without Ballast: the rows of the change in a transaction, and then the workflow started in the
 * request. A crash between the two loses the start; nothing is told to readers of the feed, and nothing is encrypted.
 */

interface SessionRow {
  userId: string;
  name: string;
  memberships: { organizationId: string; role: string }[];
}
interface OrganizationRow {
  name: string;
  slug: string;
  deleted_retention_hours: number;
}
interface DeletionRow {
  restore_until: Date;
}

const env = (name: string): string => process.env[name] ?? '';
const pool = new Pool({ connectionString: env('DATABASE_URL'), max: 16 });
const connection = await Connection.connect({
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
const temporal = new Client({ connection, namespace: env('TEMPORAL_NAMESPACE') });
const app = Fastify();

app.get('/', async () => 'ready');

app.delete<{ Params: { id: string }; Body: { confirmSlug: string } }>(
  '/api/v1/organizations/:id',
  async (request, reply) => {
    const organizationId = request.params.id;
    const owner = await ownerOf(organizationId, request.headers.cookie);
    if (owner === undefined) return reply.code(403).send();
    const deletion = await remove(organizationId, request.body.confirmSlug, owner);
    if (deletion === undefined) return reply.code(422).send();
    await temporal.workflow.start('deletion', {
      taskQueue: 'ballast',
      workflowId: `deletion/${deletion.id}`,
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      args: [{ deletionId: deletion.id, organizationId, restoreUntil: deletion.restoreUntil }],
    });
    return reply.code(204).send();
  },
);

async function ownerOf(organizationId: string, cookie: string | undefined): Promise<SessionRow | undefined> {
  const secret = /svc_session=([\w-]+)/.exec(cookie ?? '')?.[1] ?? '';
  const hash = createHash('sha256').update(secret).digest();
  const { rows } = await pool.query<SessionRow>({ name: 'session', text: sessionQuery, values: [hash] });
  const membership = rows[0]?.memberships.find((one) => one.organizationId === organizationId);
  return membership?.role === 'owner' ? rows[0] : undefined;
}

async function remove(
  organizationId: string,
  confirmSlug: string,
  owner: SessionRow,
): Promise<{ id: string; restoreUntil: string } | undefined> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query<OrganizationRow>(lockOrganization, [organizationId]);
    const [organization] = rows;
    if (organization === undefined || organization.slug !== confirmSlug) {
      await client.query('rollback');
      return undefined;
    }
    const id = randomUUID();
    const { name, slug, deleted_retention_hours: hours } = organization;
    const values = [id, organizationId, name, slug, owner.userId, owner.name, hours];
    const inserted = await client.query<DeletionRow>(insertDeletion, values);
    await client.query(deleteStatement, [id, organizationId]);
    await client.query(auditStatement, [randomUUID(), organizationId, owner.userId, owner.name, name]);
    await client.query('commit');
    return { id, restoreUntil: inserted.rows[0]?.restore_until.toISOString() ?? '' };
  } finally {
    client.release();
  }
}

await app.listen({ host: '127.0.0.1', port: Number(env('PORT')) });
process.once('SIGTERM', () => process.exit(0));
