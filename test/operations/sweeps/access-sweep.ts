import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Access } from '../../../api/engine/definition.ts';
import { namedOperations } from '../../../api/engine/registry.ts';
import { operations } from '../../../api/operations.ts';
import { mayActAs, type Role, roles, tokenRoles } from '../../../domain/roles.ts';
import {
  type Call,
  type Credential,
  headersOf,
  type RunningApi,
  runningApi,
  type Seeded,
  seed,
  seedSession,
} from '../../installation/running-api.ts';
import { seedOrganization } from '../../seeds/seed.ts';

/** Callers with access get past the door: the later answer depends on the request, and is never one of these. */
const doorStatuses = new Set([403]);

let api: RunningApi;
let ours: Seeded;
let theirs: Seeded;
/** A session of an owner without a second factor, in an organization that requires one. */
let oneFactor: Credential;

async function prepare(): Promise<void> {
  ours = await seed(api.database);
  const strict = await seedOrganization(api.database);
  await api.database.kysely.updateTable('organization').set({ require_mfa: true }).where('id', '=', strict).execute();
  oneFactor = await seedSession(api.database, strict, 'owner');
}

interface Caller {
  who: string;
  /**
   * Refused by how it presents itself, before the operation is looked at: tried on one operation of each declared access. The
   * others are tried on each.
   */
  atTheDoor?: true;
  call: () => Call;
  /** The status that refuses this caller, from the declared access alone; undefined where it is admitted. */
  refusal: (access: Exclude<Access, { scope: 'public' }>, changes: boolean) => number | undefined;
}

const refusedKind = (access: Access, kind: 'session' | 'token') =>
  access.scope !== 'public' && access.credentials !== undefined && access.credentials !== kind;
const tooLow = (access: Access, role: Role) => access.scope === 'organization' && !mayActAs(role, access.role);
const whenOrganization = (access: Access, status: number) => (access.scope === 'organization' ? status : undefined);

const callers: Caller[] = [
  { who: 'nobody', call: () => ({}), refusal: () => 403 },
  {
    who: 'an unknown token',
    atTheDoor: true,
    call: () => bearer(`svc_${'0'.repeat(24)}_${'x'.repeat(43)}`),
    refusal: () => 403,
  },
  {
    who: 'a token with a wrong secret',
    atTheDoor: true,
    call: () => bearer(`${tokenOf(ours, 'admin').slice(0, -1)}!`),
    refusal: () => 403,
  },
  {
    who: 'an unknown session',
    atTheDoor: true,
    call: () => ({ headers: { cookie: 'svc_session=unknown' } }),
    refusal: () => 403,
  },
  ...tokenRoles.map(
    (role): Caller => ({
      who: `a token of role ${role}`,
      call: () => ({ as: ours.tokens[role] }),
      refusal: (access) => (refusedKind(access, 'token') || tooLow(access, role) ? 403 : undefined),
    }),
  ),
  ...roles.map(
    (role): Caller => ({
      who: `a session of role ${role}`,
      call: () => ({ as: ours.sessions[role] }),
      refusal: (access) => (refusedKind(access, 'session') || tooLow(access, role) ? 403 : undefined),
    }),
  ),
  {
    who: 'a token that is limited to projects',
    call: () => ({ as: ours.limited }),
    refusal: (access) => {
      const limited = access.scope === 'organization' && access.projectTokens === 'refused';
      return refusedKind(access, 'token') || tooLow(access, 'admin') || limited ? 403 : undefined;
    },
  },
  {
    who: 'a token that names another organization',
    call: () => ({ as: theirs.tokens.admin, organization: ours.organizationId }),
    refusal: () => 403,
  },
  {
    who: 'a session that names an organization it does not belong to',
    call: () => ({ as: theirs.sessions.owner, organization: ours.organizationId }),
    refusal: () => 403,
  },
  {
    who: 'a session that names an organization that does not exist',
    atTheDoor: true,
    call: () => ({ as: ours.sessions.owner, organization: uuid() }),
    refusal: () => 403,
  },
  {
    who: 'a session that names no organization',
    call: () => ({ as: ours.sessions.owner, organization: '' }),
    refusal: (access) => whenOrganization(access, 400) ?? (refusedKind(access, 'session') ? 403 : undefined),
  },
  {
    who: 'a session whose header is no id',
    atTheDoor: true,
    call: () => ({ as: ours.sessions.owner, organization: 'ours' }),
    refusal: () => 400,
  },
  {
    who: 'a token whose header is no id',
    atTheDoor: true,
    call: () => ({ as: ours.tokens.admin, organization: 'ours' }),
    refusal: () => 400,
  },
  {
    who: 'a session without a second factor where the organization requires one',
    call: () => ({ as: oneFactor }),
    refusal: (access) => whenOrganization(access, 403) ?? (refusedKind(access, 'session') ? 403 : undefined),
  },
  {
    who: 'a session without the CSRF header',
    call: () => ({ as: ours.sessions.owner, csrf: false }),
    refusal: (access, changes) => (changes || refusedKind(access, 'session') ? 403 : undefined),
  },
];

function bearer(token: string): Call {
  return { headers: { authorization: `Bearer ${token}` } };
}
function tokenOf(seeded: Seeded, role: 'admin'): string {
  const credential = seeded.tokens[role];
  return 'token' in credential ? credential.token : '';
}

// Those that lead a browser on are admitted by what the browser carries: api/auth/attacks.test.ts.
const swept = namedOperations(operations).filter(({ operation }) => !operation.redirects);
/** The first operation of each declared access. */
const firsts = new Map(
  swept.toReversed().map(({ name, operation: { access, method, stream } }) => {
    // An operation's access is part of it: all else that it declares is not.
    const { scope, role, credentials, projectTokens } = { role: '', credentials: '', projectTokens: '', ...access };
    const alike = [scope, role, credentials, projectTokens, method === 'GET', stream !== undefined].join();
    return [alike, name] as const;
  }),
);
const representative = new Set(firsts.values());

/** The sweep of callers. `whole`: each of them tries each operation both ways, and not one of each declared access. */
export function sweepAccess({ whole }: { whole: boolean }): void {
  beforeAll(async () => {
    api = await runningApi({ manyClients: true, env: { ORGANIZATION_CREATORS: 'everyone' } });
    theirs = await seed(api.database);
    await prepare();
  });
  afterAll(() => api.close());

  describe.each(swept)('$name', ({ name, operation }) => {
    const { access, method } = operation;
    const changes = method !== 'GET';
    const path = operation.url.replace(/\{\w+\}/g, () => uuid());
    const ways = whole || representative.has(name) ? (['rest', 'trpc'] as const) : (['rest'] as const);

    // An organization of its own for each that changes something without naming it: one of these deletes it.
    beforeAll(() => (changes && path === operation.url ? prepare() : undefined));

    test.each(ways)('%s: lets in those whom its declaration lets in, and nobody else', async (by) => {
      const place = placed(by === 'trpc');
      const wrong: string[] = [];
      const tried = callers.filter(({ atTheDoor }) => whole || representative.has(name) || !atTheDoor);
      for (const { who, call, refusal } of tried) {
        // This one ends the session that calls.
        if (name === 'auth.signOut') await prepare();
        const expected = access.scope === 'public' ? undefined : refusal(access, changes);
        const sent = { ...call(), ...(changes && by === 'trpc' ? { body: {} } : {}) };
        const opens = operation.stream !== undefined && expected === undefined;
        const status = opens ? await openedStatus(place, sent) : (await api.call(...place, sent)).status;
        const right = expected === undefined ? !doorStatuses.has(status) && status < 500 : status === expected;
        if (!right || status === 401) wrong.push(`${who}: ${status} and not ${expected ?? 'let in'}`);
      }
      expect(wrong).toEqual([]);
    });

    function placed(viaTrpc: boolean): [string, string] {
      return viaTrpc ? [method === 'GET' ? 'GET' : 'POST', `/trpc/${name}`] : [method, path];
    }
  });
}

/** A stream that opens does not end by itself. */
async function openedStatus([method, path]: [string, string], sent: Call): Promise<number> {
  const stop = new AbortController();
  const answer = await fetch(`${api.url}${path}`, {
    method,
    headers: { ...headersOf(method, sent), ...sent.headers },
    signal: stop.signal,
  });
  stop.abort();
  return answer.status;
}
