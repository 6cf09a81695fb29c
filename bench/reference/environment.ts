import Fastify from 'fastify';
import { Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import type { PageAnswer } from '../../api/engine/definition.ts';
import type { AnyGiven, AnyOperation } from '../../api/engine/operation.ts';
import type { Resource } from '../../api/engine/resource.ts';
import { answerName, schemaUri } from '../../api/engine/schema-uri.ts';
import { operations } from '../../api/operations.ts';
import { sealCursor } from '../../db/engine/cursors.ts';
import { prepareHotStatements } from '../../db/postgres/hot-statements.ts';
import type { JsonObject, JsonValue } from '../../db/postgres/json.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { organizationOf } from './organization-of.ts';

/**
 * The least that answers the same bytes to whom it may: Fastify and pg, with the handlers of the operations themselves, so
 * that statements and answers are the same. No checks beyond the token, no limits, no log, no metrics, no ids of requests.
 */
const { environments, services, changeSets, deployments, variables } = operations;
const served: Record<string, AnyOperation> = {
  'environments.overview': environments.overview,
  'services.list': services.list,
  'changeSets.draft': changeSets.draft,
  'variables.list': variables.list,
  'deployments.ofEnvironment': deployments.ofEnvironment,
  'deployments.list': deployments.list,
};
const pool = new Pool({ connectionString: process.env.DATABASE_URL ?? '', max: 16 });
prepareHotStatements(pool);
const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
const cursorKey = Buffer.from(process.env.CURSOR_KEY ?? '', 'hex');
const app = Fastify();

for (const [name, operation] of Object.entries(served)) {
  const $schema = schemaUri(answerName(name, operation));
  app.get(operation.url.replace(/\{(\w+)\}/g, ':$1'), async (request, reply) => {
    const organizationId = await organizationOf(pool, request.headers.authorization);
    if (organizationId === undefined) return reply.code(403).send();
    const path = request.params as JsonObject;
    const { limit, ...asked } = request.query as JsonObject;
    // With what is meant where nothing is asked for: a cursor is bound to that, and not to how many there are.
    const { limit: _, ...query } = (operation.query?.parse(asked) ?? asked) as JsonObject;
    const caller = {
      organization: { id: organizationId },
      see: <T>({ find }: Resource<T>, id: string) => find(kysely, organizationId, id),
    };
    const page = { limit: Number(limit), after: undefined };
    const given = { caller, path, query, page, database: { kysely } } as unknown as AnyGiven;
    const answer = (await operation.handle(given)) as PageAnswer<JsonValue, JsonValue> & JsonObject;
    if (operation.paged === undefined) return { $schema, ...answer };
    const { items, after } = answer;
    if (after === undefined) return { $schema, items };
    const context = { operation: name, organizationId, filters: { ...query, path } };
    return { $schema, items, nextCursor: sealCursor(cursorKey, { ...context, after }) };
  });
}

await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
process.once('SIGTERM', () => process.exit(0));
