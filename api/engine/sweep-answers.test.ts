import { compileErrors, validate } from '@readme/openapi-parser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storeHistoryPage } from '../../db/engine/archive/history-archive.ts';
import { recordedHistory } from '../../test/actors/recorded-history.ts';
import { type JobIssuer, jobIssuer } from '../../test/identity/job-issuer.ts';
import { type SignedIn, signIn } from '../../test/identity/people.ts';
import { DeclaredAnswers } from '../../test/installation/declared-answers.ts';
import {
  type Call,
  type RunningApi,
  runningApi,
  type Seeded,
  seed,
  seedSession,
  seedToken,
} from '../../test/installation/running-api.ts';
import { seedMember } from '../../test/seeds/seed.ts';
import { seedAgent, seedInstance, seedReleases } from '../../test/seeds/seed-cluster.ts';
import { operations } from '../operations.ts';
import { type NamedOperation, namedOperations } from './registry.ts';

/**
 * One request to each operation that succeeds: its path parameters and its body. An operation without an entry here fails
 * the sweep, so that none is left out. `prepare` makes what the request is about.
 */
interface Example {
  as?: (ours: Seeded) => Call['as'];
  prepare?: () => Promise<Record<string, string>>;
  body?: (path: Record<string, string>) => unknown;
  /** The expected status as long as nothing can succeed yet. */
  fails?: number;
}

let api: RunningApi;
let ours: Seeded;
let theirs: Seeded;
let issuer: JobIssuer;
let document: Record<string, unknown>;
let declared: DeclaredAnswers;

beforeAll(async () => {
  api = await runningApi({
    manyClients: true,
    env: { OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8', ORGANIZATION_CREATORS: 'everyone' },
  });
  issuer = await jobIssuer();
  ours = await seed(api.database);
  theirs = await seed(api.database);
  document = (await api.call('GET', '/api/openapi.json')).body;
  declared = new DeclaredAnswers(document, namedOperations(operations));
});
afterAll(async () => {
  await issuer.close();
  await api.close();
});

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
const itself = async () => ({ id: ours.organizationId });
const member = async () => ({
  id: ours.organizationId,
  userId: await seedMember(api.database, ours.organizationId, 'viewer'),
});
const invited = async () => {
  guest = await signIn(api.database);
  const { body } = await api.call('POST', `/api/v1/organizations/${ours.organizationId}/invitations`, {
    as: ours.tokens.admin,
    body: { email: guest.email, role: 'viewer' },
  });
  const { invitation, token } = body as { invitation: { id: string }; token: string };
  return { id: invitation.id, token };
};
let guest: SignedIn;
const rule = () => ({
  name: `Rule ${crypto.randomUUID()}`,
  issuer: issuer.url,
  audience: 'ballast',
  claims: { repository: ['octo/*'] },
  role: 'deployer',
});
const trusted = async () => {
  const { body } = await api.call('POST', '/api/v1/trusted-issuers', { as: ours.sessions.admin, body: rule() });
  return { id: String(body.id) };
};

const cluster = async () => {
  const body = { name: `Cluster ${crypto.randomUUID()}` };
  // With a token of its own: one makes no more than sixty a minute.
  const as = await seedToken(api.database, ours.organizationId, 'admin');
  const made = await api.call('POST', '/api/v1/clusters', { as, body });
  const { id } = made.body.cluster as { id: string };
  return { id };
};
/** A cluster whose agent is in contact and runs an old release. */
const living = async () => {
  const { older, newer } = await seedReleases(api.database);
  const { id } = await cluster();
  await seedAgent(api.database, id, older);
  return { id, older, newer };
};
const updating = async () => {
  const { id } = await living();
  await api.call('POST', `/api/v1/clusters/${id}/agent/update`, { as: ours.tokens.admin, body: {} });
  return { id };
};
const workload = () => ({
  image: { layout: '/srv/app' },
  processes: [{ name: 'web', kind: 'http', port: 8080 }],
  environment: { GREETING: 'hello' },
});
const inhabited = async () => {
  const { id } = await living();
  await api.call('PUT', `/api/v1/clusters/${id}/workloads/app`, { as: ours.tokens.admin, body: workload() });
  const instance = await seedInstance(api.database, { id, organizationId: ours.organizationId }, 'app');
  return { id, name: 'app', instance };
};
const commanded = async () => {
  const { id } = await inhabited();
  const body = { kind: 'restart', workload: 'app' };
  const made = await api.call('POST', `/api/v1/clusters/${id}/commands`, { as: ours.tokens.admin, body });
  return { id, commandId: String(made.body.id) };
};
/** A cluster that is over, with a history that was recorded. */
const archived = async () => {
  const { id } = await cluster();
  const over = { state: 'deleted', finished_at: new Date(), archived_at: new Date() } as const;
  await api.database.kysely.updateTable('cluster').set(over).where('id', '=', id).execute();
  const page = { actorId: `cluster/${id}`, runId: crypto.randomUUID(), page: 0, organizationId: ours.organizationId };
  const bytes = await recordedHistory('cluster-deleted');
  await storeHistoryPage(api.database.kysely, api.keyring, { ...page, bytes });
  return { id };
};
/** A deletion that is over, with its history. */
const archivedDeletion = async () => {
  const { id } = await deleted();
  const over = { state: 'restored', finished_at: new Date(), archived_at: new Date() } as const;
  await api.database.kysely.updateTable('deletion').set(over).where('id', '=', id).execute();
  const { organizationId } = leaving;
  const page = { actorId: `deletion/${id}`, runId: crypto.randomUUID(), page: 0, organizationId };
  const bytes = await recordedHistory('deletion-restored');
  await storeHistoryPage(api.database.kysely, api.keyring, { ...page, bytes });
  return { id };
};

const examples: Record<string, Example> = {
  'auth.config': {},
  'auth.session': { as: owner },
  'auth.endSession': {
    as: owner,
    prepare: async () => {
      const { id } = await seedSession(api.database, ours.organizationId, 'owner', ours.sessions.owner.userId);
      return { id };
    },
  },
  'auth.signOut': {
    as: () => leaving.sessions.owner,
    prepare: async () => {
      leaving = await seed(api.database);
      return {};
    },
  },
  'organizations.list': {},
  'organizations.create': { as: owner, body: () => ({ name: 'Made', slug: `made-${crypto.randomUUID()}` }) },
  'organizations.get': { prepare: itself },
  'organizations.update': { prepare: itself, body: () => ({ name: `Renamed ${crypto.randomUUID()}` }) },
  'organizations.leave': {
    as: () => guest.in(ours.organizationId),
    prepare: async () => {
      guest = await signIn(api.database);
      await api.database.kysely
        .insertInto('membership')
        .values({ organization_id: ours.organizationId, user_id: guest.userId, role: 'viewer' })
        .execute();
      return await itself();
    },
  },
  'organizations.getJoinTokenTtl': { prepare: itself },
  'organizations.setJoinTokenTtl': { prepare: itself, body: () => ({ seconds: 600 }) },
  'organizations.getDeletedRetention': { prepare: itself },
  'organizations.setDeletedRetention': { prepare: itself, body: () => ({ hours: 24 }) },
  'members.list': { prepare: itself },
  'members.get': { prepare: member },
  'members.changeRole': { prepare: member, body: () => ({ role: 'deployer' }) },
  'members.remove': { prepare: member },
  'invitations.list': { prepare: itself },
  'invitations.create': {
    prepare: itself,
    body: () => ({ email: `${crypto.randomUUID()}@example.com`, role: 'deployer' }),
  },
  'invitations.revoke': { prepare: invited },
  'invitations.resend': { prepare: invited },
  'invitations.view': { prepare: invited },
  'invitations.accept': { prepare: invited, as: () => guest.in() },
  'organizations.delete': {
    as: () => leaving.sessions.owner,
    prepare: async () => {
      leaving = await seed(api.database);
      return { id: leaving.organizationId };
    },
    body: () => ({ confirmSlug: leaving.slug }),
  },
  'deletedOrganizations.list': { as: owner },
  'deletedOrganizations.history': { as: () => alone(leaving), prepare: archivedDeletion },
  'deletedOrganizations.restore': { as: () => alone(leaving), prepare: deleted },
  'deletedOrganizations.purge': {
    as: () => alone(leaving),
    prepare: deleted,
    body: () => ({ confirmSlug: leaving.slug }),
  },
  'apiTokens.list': {},
  'apiTokens.create': {
    as: owner,
    body: () => ({ name: 'deploy', role: 'deployer', expiresAt: new Date(Date.now() + 86_400_000) }),
  },
  'apiTokens.revoke': {
    prepare: async () => ({ id: (await seedToken(api.database, ours.organizationId, 'viewer')).id }),
  },
  'trustedIssuers.list': {},
  'trustedIssuers.get': { prepare: trusted },
  'trustedIssuers.create': { as: owner, body: rule },
  'trustedIssuers.update': { as: owner, prepare: trusted, body: () => ({ role: 'viewer', projectIds: [] }) },
  'trustedIssuers.delete': { as: owner, prepare: trusted },
  'tokenExchange.exchange': {
    prepare: async () => {
      await trusted();
      return { token: await issuer.token({ aud: 'ballast', repository: 'octo/app' }) };
    },
    body: ({ token }) => ({ organization: ours.slug, token }),
  },
  'teams.list': {},
  'teams.create': { body: () => ({ name: 'Made' }) },
  'teams.rename': { prepare: team, body: () => ({ name: `Renamed ${crypto.randomUUID()}` }) },
  'teams.delete': { prepare: team },
  'teams.setMembers': { prepare: team, body: () => ({ userIds: [ours.sessions.viewer.userId] }) },
  'clusters.list': { prepare: cluster },
  'clusters.create': { body: () => ({ name: 'Made', region: 'here' }) },
  'clusters.sshKey': {},
  'clusters.get': { prepare: living },
  'clusters.change': { prepare: cluster, body: () => ({ name: 'Changed', schedulable: false }) },
  'clusters.delete': { prepare: cluster },
  'clusters.createEnrollmentToken': { prepare: cluster },
  'clusters.installDbOperator': { prepare: living, fails: 409 },
  'clusters.agent': { prepare: updating },
  'clusters.updateAgent': { prepare: living },
  'clusters.cancelAgentUpdate': { prepare: updating },
  'clusters.rollbackAgent': {
    prepare: async () => {
      const { id, older, newer } = await living();
      const update = await api.call('POST', `/api/v1/clusters/${id}/agent/update`, { as: ours.tokens.admin });
      await api.database.kysely
        .updateTable('agent_update')
        .set({ state: 'succeeded', finished_at: new Date() })
        .where('id', '=', String(update.body.id))
        .execute();
      await seedAgent(api.database, id, newer);
      return { id, older };
    },
    body: ({ older }) => ({ image: older }),
  },
  'clusters.revokeAgent': { prepare: living },
  'clusters.events': { prepare: cluster },
  'clusters.organizationEvents': {},
  'clusters.privatenetDevices': { prepare: cluster },
  'clusters.meshPeers': { prepare: cluster },
  'clusters.deleteMeshPeer': {
    prepare: async () => ({ ...(await cluster()), peerId: crypto.randomUUID() }),
    fails: 404,
  },
  'workloads.list': { prepare: inhabited },
  'workloads.put': { prepare: async () => ({ ...(await cluster()), name: 'app' }), body: workload },
  'workloads.putAll': {
    prepare: inhabited,
    body: () => ({ workloads: [{ name: 'two', ...workload() }], prune: true }),
  },
  'workloads.remove': { prepare: inhabited },
  'workloads.instances': { prepare: inhabited },
  'workloads.logLines': {
    prepare: async () => {
      const { id, instance } = await inhabited();
      return { id, instanceId: instance };
    },
    // Nobody there speaks for the machine.
    fails: 409,
  },
  'clusterCommands.create': {
    prepare: inhabited,
    body: ({ instance }) => ({ kind: 'exec', instance, command: ['true'] }),
  },
  'clusterCommands.get': { prepare: commanded },
  'clusterCommands.cancel': { prepare: commanded },
  'workflows.list': { prepare: cluster },
  'workflows.get': { prepare: cluster },
  'workflows.history': { prepare: archived },
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
    // The way to the provider and back is walked in api/auth/sign-in.test.ts.
    if (!operation.redirects)
      test('answers what it declares, and nothing else', async () => {
        const { url, sent, as, fails } = await prepared(name, operation);
        const before = await audited();
        const organization =
          as !== undefined && 'session' in as && as.organizationId === '' ? { organization: '' } : {};
        const answered = await api.call(operation.method, url, { as, ...organization, ...sent });
        expect(answered.status, answered.text).toBe(fails ?? operation.status);
        if (fails !== undefined) {
          declared.expectProblem(operation, answered);
          return;
        }
        declared.expectAnswer(operation, answered);
        if (operation.method !== 'GET') expect(await audited(), 'leaves an audit record').toBeGreaterThan(before);
      });

    const oneOfOurs = operation.access.scope !== 'public' && operation.url.includes('{');
    if (oneOfOurs)
      test('is closed to another organization, which changes nothing by it', async () => {
        const { url, sent } = await prepared(name, operation);
        for (const stranger of [theirs.sessions.owner, theirs.tokens.admin]) {
          const before = await audited();
          const answered = await api.call(operation.method, url, { as: stranger, ...sent });
          expect([403, 404], answered.text).toContain(answered.status);
          declared.expectProblem(operation, answered);
          expect(await audited()).toBe(before);
        }
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
        declared.expectProblem(operation, answered);
      }
    });
  },
);

/** A request that succeeds, with what it is about made anew. */
async function prepared(name: string, { url }: NamedOperation['operation']) {
  const example = examples[name];
  if (example === undefined) throw new Error(`There is no example for ${name}; add one to this test.`);
  const path = (await example.prepare?.()) ?? {};
  return {
    url: url.replace(/\{(\w+)\}/g, (_, key: string) => path[key] ?? ''),
    as: example.as?.(ours) ?? ours.tokens.admin,
    fails: example.fails,
    sent: example.body === undefined ? {} : { body: example.body(path) },
  };
}

async function audited(): Promise<number> {
  const rows = await api.database.kysely.selectFrom('audit_record').select('id').execute();
  return rows.length;
}
