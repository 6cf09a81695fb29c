import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AnyOperation } from '../../../api/engine/operation.ts';
import { namedOperations } from '../../../api/engine/registry.ts';
import { operations } from '../../../api/operations.ts';
import { tenantTables } from '../../../db/postgres/tenant-tables.ts';
import { type GitServer, gitServer } from '../../git/git-server.ts';
import { type JobIssuer, jobIssuer } from '../../identity/job-issuer.ts';
import { DeclaredAnswers } from '../../installation/declared-answers.ts';
import {
  type Answered,
  type Call,
  type RunningApi,
  runningApi,
  type Seeded,
  seed,
  seedToken,
} from '../../installation/running-api.ts';
import type { Example } from '../example.ts';
import { operationExamples } from '../examples.ts';
import { idFields, idsIn, type NamedId } from '../id-fields.ts';
import { asCall, type PreparedRequest, prepared, requestOf, requestsOf } from '../prepared-request.ts';
import { kindOf, ofProjects, seedThings, type Things } from '../things.ts';

/** Fields that lead nowhere yet, and why. */
const nowhere: Record<string, string> = {};

/** Fields whose ids are left out of what is done if there is nothing of them, and why. */
const leftOut: Record<string, string> = {
  'teams.changeMembers body.remove[]': 'Who is no member need not be removed.',
  'notifications.read body.ids[]': 'A message that was cleared meanwhile need not be read.',
};

/** Operations that go on telling of what is deleted, and why. */
const tellsOfDeleted: Record<string, string> = {
  'deployments.list': 'Deployments are accounts of what was done: they are read until the purge.',
  'deployments.ofEnvironment': 'As above.',
  'deployments.ofService': 'As above.',
  'deployments.perDay': 'They are counted, too.',
  'deployments.stats': 'They are counted, too.',
  'releases.list': 'Releases come back with what was deleted.',
  'workflows.list': 'The workflow of a cluster ends with its deletion.',
};

/** Deliveries of what was prepared go on, and the tokens of this test change. */
const lively = ['api_token', 'api_token_project', 'membership', 'outbox'];
const telling = ['audit_record', 'change_feed', 'change_set_item', 'service_process', 'variable'];

let api: RunningApi;
/** Looked at for what a refused request has written. */
let tables: readonly string[] = [];
let ours: Seeded;
let declared: DeclaredAnswers;
let issuer: JobIssuer;
let git: GitServer;
let examples: Record<string, Example>;
/** Things of another organization, and of a project that the limited token does not see. */
let theirs: Things;
let hidden: Things;
/** An administrator's token for all projects of the examples, and for no others. */
let limited: Call['as'] & { id: string };

/**
 * The sweep of ids that lead nowhere, or where the caller may not see. `whole`: what was deleted, too, is tried with each operation
 * and not with those of two subjects, and every table is looked at for what a refused request has written.
 */
export function sweepIds({ whole }: { whole: boolean }): void {
  tables = tenantTables.filter((table) => (whole || telling.includes(table)) && !lively.includes(table));
  beforeAll(async () => {
    api = await runningApi({
      manyClients: true,
      env: { OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8', ORGANIZATION_CREATORS: 'everyone' },
    });
    [issuer, git] = [await jobIssuer(), await gitServer()];
    ours = await seed(api.database);
    examples = operationExamples({ api, ours, issuer, git });
    theirs = await seedThings(api, await seed(api.database));
    hidden = await seedThings(api, ours);
    limited = await seedToken(api.database, ours.organizationId, 'admin', []);
    declared = new DeclaredAnswers((await api.call('GET', '/api/openapi.json')).body, namedOperations(operations));
  });
  afterAll(async () => {
    await issuer.close();
    await git.close();
    await api.close();
  });

  const naming = namedOperations(operations).filter(
    ({ operation }) => operation.stream === undefined && idFields(operation).length > 0,
  );

  describe.each(naming)('$name', ({ name, operation }) => {
    test('refuses what is not there, and tells nothing of what the caller may not see', async () => {
      const tried = new Set<string>();
      // Nothing of it is changed by what is refused.
      const made = new Map<Example['prepare'], Record<string, string>>();
      for (const example of requestsOf(examples, name)) {
        if (!made.has(example.prepare)) made.set(example.prepare, (await example.prepare?.()) ?? {});
        const request = requestOf(example, operation, ours, made.get(example.prepare) ?? {});
        if (idsIn(request).every(({ field }) => tried.has(field))) continue;
        const before = await written();
        for (const one of idsIn(request)) {
          if (tried.has(one.field)) continue;
          tried.add(one.field);
          if (!(`${name} ${one.field}` in leftOut)) await refuses(operation, request, one);
          else expect((await ask(operation, request, one, theirs[kindOf(one.name)], request.as)).status).toBe(200);
        }
        expect(await written(), 'nothing is written').toEqual(before);
      }
      const untried = idFields(operation).filter((field) => !tried.has(field) && !(field in nowhere));
      expect(untried, 'an example has each field that takes an id: see `also` in test/operations').toEqual([]);
    });
  });

  const deleting = naming.filter(({ name }) => !(name in tellsOfDeleted));
  const chosen = ['variables', 'environments'];
  describe.each(deleting.filter(({ subject }) => whole || chosen.includes(subject)))('$name', ({ name, operation }) => {
    test('refuses what was deleted', async () => {
      const tried = new Set<string>();
      for (const example of requestsOf(examples, name)) {
        for (const one of idsIn(await prepared(example, operation, ours))) {
          if (tried.has(one.field) || `${name} ${one.field}` in leftOut) continue;
          tried.add(one.field);
          await refusesDeleted(operation, example, one);
        }
      }
    });
  });
}

async function refuses(operation: AnyOperation, request: PreparedRequest, named: NamedId): Promise<void> {
  const kind = kindOf(named.name);
  const nobodys = crypto.randomUUID();
  const refused = await ask(operation, request, named, nobodys, request.as);
  expectRefusal(operation, named, refused);
  const ofAnotherKind = kind === 'project' ? hidden.environment : hidden.project;
  for (const id of [theirs[kind], ofAnotherKind])
    expect(asOf(await ask(operation, request, named, id, request.as), id)).toEqual(asOf(refused, nobodys));
  const inProject = ofProjects.includes(kind);
  // Lists of the whole organization show what is of another project.
  if (inProject && kind !== 'project' && operation.url.includes('{'))
    expectRefusal(operation, named, await ask(operation, request, named, hidden[kind], request.as));
  const { access } = operation;
  if (!inProject || access.scope !== 'organization' || access.projectTokens !== 'allowed') return;
  await limitedToOthers();
  const unseen = await ask(operation, request, named, nobodys, limited);
  expect(asOf(await ask(operation, request, named, hidden[kind], limited), hidden[kind])).toEqual(
    asOf(unseen, nobodys),
  );
}

/** With the thing deleted that it named when it succeeded. */
async function refusesDeleted(operation: AnyOperation, example: Example, { location, name }: NamedId): Promise<void> {
  const kind = kindOf(name);
  if (!(kind in deletedBy)) return;
  const request = await prepared(example, operation, ours);
  const named = idsIn(request).find((one) => one.location === location);
  if (named === undefined) throw new Error(`The example names nothing in ${location} any more.`);
  const removed = await api.call('DELETE', await deletedBy[kind as keyof typeof deletedBy](named.id), {
    as: ours.sessions.owner,
  });
  expect([200, 202, 204], `${location}: ${removed.text}`).toContain(removed.status);
  const before = await written();
  const answered = await ask(operation, request, named, named.id, request.as);
  // Others that went with it may be told of before it.
  if (answered.status === 200) expectRefusal(operation, named, answered);
  else {
    expect([403, 404, 422], `${location}: ${answered.text}`).toContain(answered.status);
    declared.expectProblem(operation, answered);
  }
  expect(await written(), 'nothing is written').toEqual(before);
}

/** The address that deletes a thing. Processes and volumes go with their service. */
const deletedBy = {
  project: async (id: string) => `/api/v1/projects/${id}`,
  environment: async (id: string) => `/api/v1/environments/${id}`,
  service: async (id: string) => `/api/v1/services/${id}`,
  process: async (id: string) => `/api/v1/services/${await serviceOf('service_process', id)}`,
  volume: async (id: string) => `/api/v1/services/${await serviceOf('volume', id)}`,
  cluster: async (id: string) => `/api/v1/clusters/${id}`,
  team: async (id: string) => `/api/v1/teams/${id}`,
  credential: async (id: string) => `/api/v1/registry-credentials/${id}`,
};

async function serviceOf(table: 'service_process' | 'volume', id: string): Promise<string> {
  const rows = api.database.kysely.selectFrom(table).select('service_id').where('id', '=', id);
  return (await rows.executeTakeFirstOrThrow()).service_id;
}

async function ask(
  { method }: AnyOperation,
  { path }: PreparedRequest,
  named: NamedId,
  id: string,
  as: Call['as'],
): Promise<Answered> {
  const [url, sent] = asCall(path, named.with(id));
  return await api.call(method, url, { as, ...sent });
}

/** A problem that names the field or the kind of thing; of a list, an empty one. */
function expectRefusal(operation: AnyOperation, { location }: NamedId, answered: Answered): void {
  if (operation.method === 'GET' && answered.status === 200) {
    declared.expectAnswer(operation, answered);
    expect(emptied(answered.body), `${location}: ${answered.text}`).toEqual(answered.body);
    return;
  }
  expect([403, 404, 422], `${location}: ${answered.text}`).toContain(answered.status);
  declared.expectProblem(operation, answered);
  const { errors = [], detail } = answered.body as { errors?: { location: string }[]; detail: string };
  if (answered.status === 422) expect(errors.map((error) => error.location)).toContain(location);
  else expect(detail.toLowerCase()).toContain(nounOf(location));
}

function nounOf(location: string): string {
  const [, word = ''] = /\.([a-z]+)[A-Za-z]*(\[\d+\])?$/.exec(location) ?? [];
  return word === 'with' || word === 'to' ? 'environment' : word;
}

/** The answer without its items and with nothing counted. */
function emptied(body: Record<string, unknown>): Record<string, unknown> {
  const { nextCursor: _, ...rest } = body;
  return Object.fromEntries(
    Object.entries(rest).map(([key, value]) => {
      if (key === 'days') return [key, (value as object[]).map((day) => ({ ...day, deployments: 0 }))];
      return [key, Array.isArray(value) ? [] : typeof value === 'number' ? 0 : value];
    }),
  );
}

/** The answer as a caller learns it of an id, whatever the id is. */
function asOf({ status, text }: Answered, id: string): [number, string] {
  return [status, text.replaceAll(id, 'ID')];
}

async function limitedToOthers(): Promise<void> {
  await sql`
    insert into api_token_project (organization_id, api_token_id, project_id)
    select organization_id, ${limited.id}, id from project
    where organization_id = ${ours.organizationId} and id <> ${hidden.project}
    on conflict do nothing
  `.execute(api.database.kysely);
}

/** How many rows each table has, and its youngest transaction. */
async function written(): Promise<unknown> {
  const counts = tables.map(
    (table) =>
      sql`select ${table}::text as "table", count(*)::int as rows, max(xmin::text::bigint)::text as last from ${sql.table(table)}`,
  );
  const { rows } = await sql`${sql.join(counts, sql` union all `)}`.execute(api.database.kysely);
  return rows;
}
