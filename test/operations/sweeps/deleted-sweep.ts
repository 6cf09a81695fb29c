import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AnyOperation } from '../../../api/engine/operation.ts';
import { namedOperations } from '../../../api/engine/registry.ts';
import { operations } from '../../../api/operations.ts';
import { tenant } from '../../../db/postgres/tenant.ts';
import { mayActAs, type Role, roles, tokenRoles } from '../../../domain/roles.ts';
import type { GitServer } from '../../git/git-server.ts';
import type { JobIssuer } from '../../identity/job-issuer.ts';
import { DeclaredAnswers } from '../../installation/declared-answers.ts';
import {
  type Credential,
  type RunningApi,
  runningApi,
  type Seeded,
  seed,
  seedToken,
} from '../../installation/running-api.ts';
import { asDeletionActor } from '../../walks/as-deletion-actor.ts';
import type { Example } from '../example.ts';
import { operationExamples } from '../examples.ts';
import { itemExamples } from '../item-examples.ts';
import { asCall, requestsOf } from '../prepared-request.ts';

/** Beneath what is deleted, by the first word of an address. */
const inService = ['services', 'processes', 'volumes'];
const inEnvironment = ['environments', 'change-sets', 'change-set-items'];
const kinds = {
  service: inService,
  database: inService,
  environment: inEnvironment,
  project: ['projects', ...inEnvironment, ...inService],
} as const;
type Kind = keyof typeof kinds;

let api: RunningApi;
let ours: Seeded;
let theirs: Seeded;
let declared: DeclaredAnswers;
let examples: Record<string, Example>;

interface Caller {
  who: string;
  as: Credential;
  role: Role;
  limited: boolean;
}

/**
 * The sweep over all operations of what was deleted. `whole`: with every role before and after the purge, in place of an
 * administrator, a token of one project and a viewer.
 */
export function sweepDeleted({ whole }: { whole: boolean }): void {
  beforeAll(async () => {
    api = await runningApi({ manyClients: true });
    ours = await seed(api.database);
    theirs = await seed(api.database);
    examples = operationExamples({ api, ours, issuer: {} as JobIssuer, git: {} as GitServer });
    declared = new DeclaredAnswers((await api.call('GET', '/api/openapi.json')).body, namedOperations(operations));
  });
  afterAll(() => api.close());

  // A database is a service with a template.
  const tried = (Object.keys(kinds) as Kind[]).filter((kind) => whole || kind !== 'database');
  describe.each(tried)('a deleted %s', (kind) => {
    test('is there for no operation, for whoever calls, and is restored and purged by whom it may be', async () => {
      const made = await ground(kind);
      const callers = callersOf(made, whole);
      const [admin, limited] = callers;
      const path = `/api/v1/deleted/${kind}/${made.id}`;
      const confirm = { confirm: made.name };
      const purge = (as: Credential, body: object = confirm) => api.call('POST', `${path}/purge`, { as, body });
      const restore = (as: Credential) => api.call('POST', `${path}/restore`, { as });
      const status = async (asked: Promise<{ status: number }>) => (await asked).status;
      expect([await status(restore(admin.as)), await status(purge(ours.sessions.admin))], 'not deleted').toEqual([
        404, 404,
      ]);

      await remove(made);
      await expectGone(kind, made, callers);
      const others = await seedToken(api.database, ours.organizationId, 'admin', []);
      const strangers: Credential[] = [others, theirs.tokens.admin, theirs.sessions.owner];
      for (const as of strangers) expect(await status(restore(as))).toBe(404);
      expect(await status(purge(theirs.sessions.owner))).toBe(404);
      for (const { as, role, limited: isLimited } of callers) {
        if (!mayActAs(role, 'admin')) expect(await status(restore(as)), role).toBe(403);
        const session = 'session' in as && !isLimited && mayActAs(role, 'admin');
        // Without its name it is not purged, by those who may.
        expect(await status(purge(as, { confirm: 'another name' })), role).toBe(session ? 422 : 403);
      }
      for (const other of ['service', 'environment', 'project', 'volume', 'database'].filter((one) => one !== kind))
        expect(await status(api.call('POST', `/api/v1/deleted/${other}/${made.id}/restore`, { as: admin.as }))).toBe(
          404,
        );

      const restored = await restore(limited.as);
      expect(restored.status, restored.text).toBe(200);
      expect(await status(api.call('GET', made.address, { as: limited.as }))).toBe(200);
      expect(await status(restore(limited.as)), 'restored already').toBe(404);

      await remove(made);
      const { body } = await api.call('GET', '/api/v1/deleted?limit=200', { as: limited.as });
      const item = (body.items as { id: string; deletionId: string }[]).find(({ id }) => id === made.id);
      expect(await status(purge(ours.sessions.owner))).toBe(204);
      const purged = await asDeletionActor(api, item?.deletionId ?? '');
      expect(purged.state, purged.waits).toBe('purged');
      await expectGone(kind, made, whole ? callers : [limited]);
      for (const { as } of [admin, limited]) expect(await status(restore(as))).toBe(404);
      expect(await status(purge(ours.sessions.admin))).toBe(404);
    });
  });
}

interface Made {
  id: string;
  name: string;
  address: string;
  /** Of each thing in the project, by the first word of its address. */
  ids: Record<string, string>;
  path: Record<string, string>;
  limited: Credential;
}

/** A project with one of everything, and in it what is going to be deleted. */
async function ground(kind: Kind): Promise<Made> {
  const path = await itemExamples({ api, ours }).prepare();
  const { projectId = '', environmentId = '', serviceId = '', processId = '', keptId = '' } = path;
  const own = tenant(api.database.kysely, ours.organizationId);
  // Without a cluster no agent has to delete data first.
  await own.updateTable('environment').set({ cluster_id: null }).where('id', '=', environmentId).execute();
  if (kind === 'database')
    await own.updateTable('service').set({ template: 'postgres' }).where('id', '=', serviceId).execute();
  const draft = await api.call('GET', `/api/v1/environments/${environmentId}/change-set`, { as: ours.tokens.admin });
  const { changeSet, items } = draft.body as { changeSet: { id: string }; items: { id: string }[] };
  const ids: Record<string, string> = {
    ...{ projects: projectId, environments: environmentId, services: serviceId, processes: processId, volumes: keptId },
    ...{ 'change-sets': changeSet.id, 'change-set-items': items[0]?.id ?? '' },
  };
  const first = { service: 'services', database: 'services', environment: 'environments', project: 'projects' }[kind];
  const address = `/api/v1/${first}/${ids[first]}`;
  const { name } = (await api.call('GET', address, { as: ours.tokens.admin })).body;
  const limited = await seedToken(api.database, ours.organizationId, 'admin', [projectId]);
  return { id: ids[first] ?? '', name: String(name), address, ids, path, limited };
}

function callersOf({ limited }: Made, whole: boolean): [Caller, Caller, ...Caller[]] {
  const caller = (as: Credential, role: Role, isLimited = false): Caller => ({
    who: role,
    as,
    role,
    limited: isLimited,
  });
  const further = [
    ...tokenRoles.map((role) => caller(ours.tokens[role], role)),
    ...roles.map((role) => caller(ours.sessions[role], role)),
  ];
  const chosen = ({ as }: Caller) => as === ours.tokens.viewer;
  return [
    caller(ours.tokens.admin, 'admin'),
    caller(limited, 'admin', true),
    ...further.filter((one) => whole || chosen(one)),
  ];
}

async function remove({ address }: Made): Promise<void> {
  const removed = await api.call('DELETE', address, { as: ours.tokens.admin });
  expect(removed.status, removed.text).toBe(204);
}

const beneath = namedOperations(operations).filter(({ operation }) => operation.stream === undefined);

/** 404 for those who might call the operation at all. */
async function expectGone(kind: Kind, { ids, path }: Made, callers: readonly Caller[]): Promise<void> {
  let asked = 0;
  for (const { name, operation } of beneath) {
    const word = /^\/api\/v1\/([a-z-]+)\/\{id\}/.exec(operation.url)?.[1] ?? '';
    if (!kinds[kind].some((one) => one === word)) continue;
    asked += 1;
    const [example = {}] = requestsOf(examples, name);
    const given = anyId({ ...path, id: ids[word] ?? '' });
    const url = operation.url.replace(/\{(\w+)\}/g, (_, key: string) => given[key] ?? '');
    const [call, sent] = asCall(url, { query: example.query?.(given) ?? {}, body: example.body?.(given) });
    for (const { who, as, ...caller } of callers) {
      const answered = await api.call(operation.method, call, { as, ...sent });
      expect(answered.status, `${name} as ${who}: ${answered.text}`).toBe(isRefused(operation, as, caller) ? 403 : 404);
      declared.expectProblem(operation, answered);
    }
  }
  expect(asked).toBeGreaterThan(10);
}

function isRefused({ access }: AnyOperation, as: Credential, { role, limited }: Pick<Caller, 'role' | 'limited'>) {
  if (access.scope !== 'organization') return false;
  const kind = 'session' in as ? 'session' : 'token';
  const other = access.credentials !== undefined && access.credentials !== kind;
  return other || !mayActAs(role, access.role) || (limited && access.projectTokens === 'refused');
}

/** Ids that are there, and of what is not there the id of nothing: only their form counts here. */
function anyId(known: Record<string, string>): Record<string, string> {
  const nothing = crypto.randomUUID();
  return new Proxy(known, { get: (of, key) => of[String(key)] ?? nothing });
}
