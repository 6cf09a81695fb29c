import { compileErrors, validate } from '@readme/openapi-parser';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Answered,
  type Call,
  type RunningApi,
  runningApi,
  type Seeded,
  seed,
  seedToken,
} from '../test/running-api.ts';
import { operations } from './operations.ts';
import { type NamedOperation, namedOperations } from './registry.ts';

/**
 * One request to each operation that succeeds: its path parameters and its body. An operation without an entry here fails
 * the sweep, so that none is left out. `prepare` makes what the request is about.
 */
interface Example {
  as?: (ours: Seeded) => Call['as'];
  prepare?: () => Promise<Record<string, string>>;
  body?: (path: Record<string, string>) => unknown;
}

let api: RunningApi;
let ours: Seeded;
let document: Record<string, unknown>;
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);

beforeAll(async () => {
  api = await runningApi();
  ours = await seed(api.database);
  document = (await api.call('GET', '/api/openapi.json')).body;
  ajv.addSchema({ $id: 'api', ...document });
});
afterAll(() => api.close());

const owner = (seeded: Seeded) => seeded.sessions.owner;
const team = async () => {
  const name = `Team ${crypto.randomUUID()}`;
  const { body } = await api.call('POST', '/api/v1/teams', { as: ours.tokens.admin, body: { name } });
  return { id: String(body.id) };
};
const deleted = async () => {
  const gone = await seed(api.database);
  const path = `/api/v1/organizations/${gone.organizationId}`;
  await api.call('DELETE', path, { as: gone.sessions.owner, body: { confirmSlug: gone.slug } });
  const { body } = await api.call('GET', '/api/v1/deleted-organizations', {
    as: gone.sessions.owner,
    organization: '',
  });
  const [deletion] = Array.isArray(body.items) ? body.items : [];
  leaving = gone;
  return { id: String(deletion.id) };
};
let leaving: Seeded;

const examples: Record<string, Example> = {
  'organizations.list': {},
  'organizations.get': { prepare: async () => ({ id: ours.organizationId }) },
  'organizations.delete': {
    as: () => leaving.sessions.owner,
    prepare: async () => {
      leaving = await seed(api.database);
      return { id: leaving.organizationId };
    },
    body: () => ({ confirmSlug: leaving.slug }),
  },
  'deletedOrganizations.list': { as: owner },
  'deletedOrganizations.restore': { as: () => alone(leaving), prepare: deleted },
  'deletedOrganizations.purge': {
    as: () => alone(leaving),
    prepare: deleted,
    body: () => ({ confirmSlug: leaving.slug }),
  },
  'apiTokens.list': {},
  'apiTokens.create': {
    as: owner,
    body: () => ({ name: 'deploy', role: 'deployer', expiresAt: '2999-01-01T00:00:00Z' }),
  },
  'apiTokens.revoke': {
    prepare: async () => ({ id: (await seedToken(api.database, ours.organizationId, 'viewer')).id }),
  },
  'teams.list': {},
  'teams.create': { body: () => ({ name: 'Made' }) },
  'teams.rename': { prepare: team, body: () => ({ name: `Renamed ${crypto.randomUUID()}` }) },
  'teams.delete': { prepare: team },
  'teams.setMembers': { prepare: team, body: () => ({ userIds: [ours.sessions.viewer.userId] }) },
  'auditLog.list': {},
  'version.get': {},
  'version.releases': {},
  'reference.openapi': {},
};

/** A session in user scope needs no organization, and its own may be the deleted one. */
function alone(seeded: Seeded): Call['as'] {
  return { ...seeded.sessions.owner, organizationId: '' };
}

test('openapi.json is valid OpenAPI 3.1', async () => {
  const result = await validate(structuredClone(document) as Parameters<typeof validate>[0]);
  if (!result.valid) throw new Error(compileErrors(result));
  expect(result.specification).toBe('OpenAPI');
});

describe.each(namedOperations(operations).filter(({ operation }) => operation.stream === undefined))(
  '$name',
  ({ name, operation }) => {
    test('answers what it declares, and nothing else', async () => {
      const example = examples[name];
      if (example === undefined) throw new Error(`There is no example for ${name}; add one to this test.`);
      const path = (await example.prepare?.()) ?? {};
      const url = operation.url.replace(/\{(\w+)\}/g, (_, key: string) => path[key] ?? '');
      const as = example.as?.(ours) ?? ours.tokens.admin;
      const sent = example.body === undefined ? {} : { body: example.body(path) };
      const before = await audited();
      const organization = as !== undefined && 'session' in as && as.organizationId === '' ? { organization: '' } : {};
      const answered = await api.call(operation.method, url, { as, ...organization, ...sent });
      expect(answered.status, answered.text).toBe(operation.status);
      expectAnswer({ name, operation, subject: '' }, answered);
      if (operation.method !== 'GET') expect(await audited(), 'leaves an audit record').toBeGreaterThan(before);
    });

    test('fails as it declares', async () => {
      const url = operation.url.replace(/\{\w+\}/g, 'x');
      const tries: Call[] = [
        {},
        { as: ours.tokens.viewer },
        { as: ours.tokens.admin },
        { as: ours.sessions.owner },
        { as: ours.sessions.owner, organization: 'x' },
        { as: ours.sessions.owner, csrf: false },
        { as: ours.sessions.owner, body: '{' },
        { as: ours.sessions.owner, body: { unknown: 1 } },
        { as: ours.sessions.owner, body: 'x', headers: { 'content-type': 'text/plain' } },
        { as: ours.sessions.owner, headers: { 'idempotency-key': 'with spaces' } },
      ];
      for (const one of tries) {
        if (operation.method === 'GET' && one.body !== undefined) continue;
        const answered = await api.call(operation.method, `${url}?unknown=1`, one);
        expect(answered.status).toBeGreaterThanOrEqual(400);
        expect(answered.status).toBeLessThan(500);
        expectProblem({ name, operation, subject: '' }, answered);
      }
    });
  },
);

async function audited(): Promise<number> {
  const rows = await api.database.kysely.selectFrom('audit_record').select('id').execute();
  return rows.length;
}

function expectAnswer({ operation }: NamedOperation, answered: Answered): void {
  if (operation.result === undefined) {
    expect(answered.text).toBe('');
    return;
  }
  expectValid(operation.url, operation.method, operation.status, 'application/json', answered.body);
  const { $schema, ...body } = answered.body;
  if (!operation.document) expect($schema).toMatch(/^urn:ballast:schema:\w+$/);
  // Zod leaves out what a schema does not know: what is left must be all that was answered.
  if (operation.document) return;
  if (operation.paged === undefined) expect(operation.result.parse(body)).toEqual(body);
  else {
    const { items, nextCursor, ...rest } = body;
    expect(rest).toEqual({});
    expect(nextCursor === undefined || typeof nextCursor === 'string').toBe(true);
    expect(Array.isArray(items)).toBe(true);
    for (const item of Array.isArray(items) ? items : []) expect(operation.result.parse(item)).toEqual(item);
  }
}

function expectProblem({ operation }: NamedOperation, answered: Answered): void {
  expect(answered.headers.get('content-type')).toBe('application/problem+json');
  expectValid(operation.url, operation.method, answered.status, 'application/problem+json', answered.body);
}

/** Against openapi.json itself: the status must be declared there, and the body must be what is declared for it. */
function expectValid(url: string, method: string, status: number, type: string, body: unknown): void {
  const steps = ['paths', url, method.toLowerCase(), 'responses', String(status), 'content', type, 'schema'];
  const pointer = steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  const check = ajv.getSchema(`api#/${pointer}`);
  if (check === undefined) throw new Error(`${method} ${url} does not declare ${status} as ${type}.`);
  expect(check(body), JSON.stringify(check.errors)).toBe(true);
}
