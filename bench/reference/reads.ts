import Fastify from 'fastify';
import { Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import { foundClusters } from '../../db/clusters/clusters.ts';
import { sealCursor } from '../../db/engine/cursors.ts';
import { foundMembers } from '../../db/members/found.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { type Found, foundBy } from '../../db/search/finder.ts';
import { foundTeams } from '../../db/teams/found.ts';
import { foundWorkflows } from '../../db/workflows/actors.ts';
import { foundInstances, foundWorkloads } from '../../db/workloads/found.ts';
import { organizationOf } from './organization-of.ts';
import { organizationQuery, teamsQuery } from './statements.ts';

/**
 * The least that answers the same bytes to whom it may: Fastify and pg, the same statements, prepared, on a pool of the
 * same size. No checks beyond the token, no limits, no log, no metrics, no ids of requests.
 */

interface OrganizationRow {
  id: string;
  name: string;
  slug: string;
  requireMfa: boolean;
  createdAt: Date;
}
interface TeamRow {
  id: string;
  name: string;
  slug: string;
  createdAt: Date;
  scimManaged: boolean;
  projectCount: number;
  members: { userId: string; name: string; email: string }[];
}

const pool = new Pool({ connectionString: process.env.DATABASE_URL ?? '', max: 16 });
const cursorKey = Buffer.from(process.env.CURSOR_KEY ?? '', 'hex');
const app = Fastify();

app.get<{ Params: { id: string } }>('/api/v1/organizations/:id', async (request, reply) => {
  const organizationId = await organizationOf(pool, request.headers.authorization);
  if (organizationId !== request.params.id) return reply.code(403).send();
  const { rows } = await pool.query<OrganizationRow>({
    name: 'organization',
    text: organizationQuery,
    values: [organizationId],
  });
  const [organization] = rows;
  if (organization === undefined) return reply.code(404).send();
  const { id, name, slug, requireMfa, createdAt } = organization;
  return { $schema: 'urn:ballast:schema:Organization', id, name, slug, requireMfa, createdAt };
});

app.get<{ Querystring: { limit: string } }>('/api/v1/teams', async (request, reply) => {
  const organizationId = await organizationOf(pool, request.headers.authorization);
  if (organizationId === undefined) return reply.code(403).send();
  const limit = Number(request.query.limit);
  const { rows } = await pool.query<TeamRow>({ name: 'teams', text: teamsQuery, values: [organizationId, limit + 1] });
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const answer = { $schema: 'urn:ballast:schema:PageOfTeam', items };
  if (rows.length <= limit || last === undefined) return answer;
  const nextCursor = sealCursor(cursorKey, {
    operation: 'teams.list',
    organizationId,
    filters: { path: {} },
    after: { createdAt: last.createdAt.toISOString(), id: last.id },
  });
  return { ...answer, nextCursor };
});

/** The kinds that a viewer may find. */
const finders = [foundMembers, foundTeams, foundClusters, foundWorkloads, foundInstances, foundWorkflows];
const words = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });

app.get<{ Querystring: { q: string } }>('/api/v1/search', async (request, reply) => {
  const organizationId = await organizationOf(pool, request.headers.authorization);
  if (organizationId === undefined) return reply.code(403).send();
  const sought = { text: request.query.q, workflows: ['cluster', 'agent-update'] as const, within: null, limit: 20 };
  const { sql: text, parameters } = foundBy(organizationId, finders, sought).compile(words);
  const { rows } = await pool.query<Found>({ name: 'search', text, values: [...parameters] });
  const found = rows.map(({ kind, id, name, detail, clusterId }) => ({
    ...{ kind, id, name, detail: detail ?? '' },
    ...(clusterId === null ? {} : { clusterId }),
  }));
  return { $schema: 'urn:ballast:schema:SearchResult', found };
});

await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
process.once('SIGTERM', () => process.exit(0));
