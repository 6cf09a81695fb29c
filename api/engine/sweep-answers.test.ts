import { compileErrors, validate } from '@readme/openapi-parser';
import { afterAll, describe, expect, test } from 'vitest';
import { gitServer } from '../../test/git/git-server.ts';
import { jobIssuer } from '../../test/identity/job-issuer.ts';
import { DeclaredAnswers } from '../../test/installation/declared-answers.ts';
import { type Call, runningApi } from '../../test/installation/running-api.ts';
import type { Example } from '../../test/operations/example.ts';
import { operationExamples } from '../../test/operations/examples.ts';
import { asCall, prepared, requestsOf } from '../../test/operations/prepared-request.ts';
import { operations } from '../operations.ts';
import type { AnyOperation } from './operation.ts';
import { namedOperations } from './registry.ts';

/** Operations with an id that answer a token of no project, and why. */
const ofTheWholeOrganization: Record<string, string> = {
  'organizations.get': 'A token reads the organization that it is of.',
  'clusters.get': 'Deploying names clusters.',
  'objectStores.get': 'Backups name object stores.',
  'workflows.get': 'The example is that of a cluster; those of projects: api/workflows/list-workflows.test.ts.',
  'workflows.history': 'As above.',
};

const api = await runningApi({
  manyClients: true,
  env: { OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8', ORGANIZATION_CREATORS: 'everyone' },
});
const [issuer, git] = [await jobIssuer(), await gitServer()];
const ours = await api.organization();
const theirs = await api.organization();
const examples = operationExamples({ api, ours, issuer, git });
const document = (await api.call('GET', '/api/openapi.json')).body;
const declared = new DeclaredAnswers(document, namedOperations(operations));
afterAll(async () => {
  await issuer.close();
  await git.close();
  await api.close();
});

test('openapi.json is valid OpenAPI 3.1', async () => {
  const result = await validate(structuredClone(document) as Parameters<typeof validate>[0]);
  if (!result.valid) throw new Error(compileErrors(result));
  expect(result.specification).toBe('OpenAPI');
});

describe.each(namedOperations(operations).filter(({ operation }) => operation.stream === undefined))(
  '$name',
  ({ name, operation }) => {
    const oneOfOurs = operation.access.scope !== 'public' && operation.url.includes('{');
    const limited = operation.access.scope === 'organization' && operation.access.projectTokens === 'allowed';
    const strangers = () => [
      ...(oneOfOurs ? [theirs.sessions.owner, theirs.tokens.admin] : []),
      ...(oneOfOurs && limited && !(name in ofTheWholeOrganization) ? [ours.limited] : []),
    ];

    // The way to the provider and back is walked in api/auth/sign-in.test.ts.
    if (!operation.redirects)
      test('answers what it declares, and nothing to another organization or a token of other projects', async () => {
        const [first = {}, ...more] = requestsOf(examples, name);
        const request = await ready(first, operation);
        for (const stranger of strangers()) await refuses(request, stranger);
        await answers(request);
        for (const example of more) await answers(await ready(example, operation));
      });

    /** A refused request changes nothing, so that the same one succeeds afterwards. */
    async function refuses({ url, sent }: Request, stranger: Call['as']): Promise<void> {
      const before = await audited();
      const answered = await api.call(operation.method, url, { as: stranger, ...sent });
      expect([403, 404], answered.text).toContain(answered.status);
      declared.expectProblem(operation, answered);
      expect(await audited()).toBe(before);
    }

    async function answers({ url, sent, as, fails, personal }: Request): Promise<void> {
      const before = await audited();
      const organization = as !== undefined && 'session' in as && as.organizationId === '' ? { organization: '' } : {};
      const answered = await api.call(operation.method, url, { as, ...organization, ...sent });
      expect(answered.status, answered.text).toBe(fails ?? operation.status);
      if (fails !== undefined) {
        declared.expectProblem(operation, answered);
        return;
      }
      declared.expectAnswer(operation, answered);
      if (operation.method === 'GET') return;
      if (personal) expect(await audited(), 'leaves no audit record').toBe(before);
      else expect(await audited(), 'leaves an audit record').toBeGreaterThan(before);
    }

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
        declared.expectProblem(operation, answered);
      }
    });
  },
);

type Request = Awaited<ReturnType<typeof ready>>;

/** A request that succeeds, with what it is about made anew. */
async function ready(example: Example, operation: AnyOperation) {
  const { path, ...request } = await prepared(example, operation, ours);
  const [url, sent] = asCall(path, request);
  return { ...request, url, sent };
}

async function audited(): Promise<number> {
  const { kysely } = api.database;
  const { count } = await kysely
    .selectFrom('audit_record')
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}
