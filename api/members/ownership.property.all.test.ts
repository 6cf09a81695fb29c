import { v7 as uuid } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { listAuditRecords } from '../../db/engine/audit.ts';
import { type Role, roles } from '../../domain/roles.ts';
import { type SignedIn, signIn } from '../../test/identity/people.ts';
import { type Answered, runningApi } from '../../test/installation/running-api.ts';
import { fc } from '../../test/run/drawn.ts';
import { namedOperations } from '../engine/registry.ts';
import { operations } from '../operations.ts';

/** Two processes, so that what is asked at the same time meets in the database and nowhere before. */

const api = await runningApi({
  manyClients: true,
  env: { ORGANIZATION_CREATORS: 'everyone', ORGANIZATIONS_PER_OWNER: '100000' },
});
const processes = [api, await api.twin()];
const people = await Promise.all(['Ada', 'Bob', 'Eve'].map((name) => signIn(api.database, { name })));
afterAll(async () => {
  for (const api of processes.toReversed()) await api.close();
});

const reads = namedOperations(operations).filter(
  ({ operation: { method, access, stream } }) =>
    method === 'GET' && access.scope === 'organization' && stream === undefined,
);

type Members = Map<string, Role>;

/** An organization that the three do things to. */
class World {
  readonly id: string;
  readonly slug: string;
  readonly #tokens = new Map<string, string>();
  #calls = 0;

  constructor(id: string, slug: string) {
    this.id = id;
    this.slug = slug;
  }

  static async begin(others: readonly (Role | undefined)[]): Promise<World> {
    const slug = `w-${uuid()}`;
    const [ada] = people;
    const [api] = processes;
    const body = { name: slug, slug };
    const made = await api?.call('POST', '/api/v1/organizations', { as: ada?.in(), organization: '', body });
    const world = new World(String(made?.body.id), slug);
    for (const [index, role] of others.entries()) {
      if (role === undefined) continue;
      await world.act({ kind: 'invite', actor: 0, target: index + 1, role });
      await world.act({ kind: 'accept', actor: index + 1, target: 0, role });
    }
    return world;
  }

  /** Whatever is answered is fine, if it is an answer. */
  async act({ kind, actor, target, role }: Action): Promise<void> {
    const [who, whom] = [people[actor], people[target]];
    if (who === undefined || whom === undefined) throw new Error('There are three of them.');
    const organization = `/api/v1/organizations/${this.id}`;
    switch (kind) {
      case 'invite': {
        const body = { email: whom.email, role };
        const answered = await this.#call(who, 'POST', `${organization}/invitations`, body);
        if (answered.status === 201) this.#tokens.set(whom.userId, String(answered.body.token));
        return;
      }
      case 'accept':
        await this.#call(who, 'POST', `/api/v1/invitations/${this.#tokens.get(who.userId) ?? 'none'}/accept`);
        return;
      case 'change':
        await this.#call(who, 'PATCH', `${organization}/members/${whom.userId}`, { role });
        return;
      case 'remove':
        await this.#call(who, 'DELETE', `${organization}/members/${whom.userId}`);
        return;
      case 'leave':
        await this.#call(who, 'POST', `${organization}/leave`);
        return;
      case 'delete':
        await this.#call(who, 'DELETE', organization, { confirmSlug: this.slug });
        return;
      case 'restore': {
        const list = await this.#call(who, 'GET', '/api/v1/deleted-organizations?limit=200');
        const deletions = list.body.items as { id: string; organizationId: string }[];
        const own = deletions.find(({ organizationId }) => organizationId === this.id);
        if (own !== undefined) await this.#call(who, 'POST', `/api/v1/deleted-organizations/${own.id}/restore`);
      }
    }
  }

  async #call(who: SignedIn, method: string, path: string, body?: unknown): Promise<Answered> {
    this.#calls += 1;
    const api = processes[this.#calls % processes.length];
    if (api === undefined) throw new Error('There is no process.');
    const personal = /^.api.v1.(invitations|deleted-organizations)\b/.test(path);
    const as = who.in(personal ? '' : this.id);
    const answered = await api.call(method, path, { as, body, ...(personal ? { organization: '' } : {}) });
    expect(answered.status, `${method} ${path}: ${answered.text}`).toBeLessThan(500);
    return answered;
  }

  async members(): Promise<Members> {
    const rows = await this.#kysely
      .selectFrom('membership')
      .select(['user_id', 'role'])
      .where('organization_id', '=', this.id)
      .execute();
    return new Map(rows.map(({ user_id, role }) => [user_id, role]));
  }

  async isDeleted(): Promise<boolean> {
    return (
      (
        await this.#kysely
          .selectFrom('organization')
          .select('deletion_id')
          .where('id', '=', this.id)
          .executeTakeFirstOrThrow()
      ).deletion_id !== null
    );
  }

  /**
   * Who belongs by what the audit log says, record by record. At no record is there nobody who owns it, and nobody did
   * what the role did not allow that the person had by then.
   */
  async told(): Promise<Members> {
    const records = await listAuditRecords(this.#kysely, this.id, { subjectKind: 'member' }, { limit: 1000 });
    const members: Members = new Map();
    for (const { action, actor, subject, details } of records.toReversed()) {
      const before = members.get(subject.id);
      if (action === 'member.role_changed' || action === 'member.removed') {
        const owners = before === 'owner' || details?.to === 'owner';
        expect(owners ? ['owner'] : ['admin', 'owner'], `${action} by`).toContain(members.get(actor.id));
      }
      if (action === 'member.added') expect(before, 'somebody is added who was no member').toBeUndefined();
      else expect(before, `${action}: of a member`).toBe(details?.from ?? details?.role);
      const after = action === 'member.added' ? details?.role : details?.to;
      if (after === undefined) members.delete(subject.id);
      else members.set(subject.id, after as Role);
      expect([...members.values()], `after ${action}`).toContain('owner');
    }
    return members;
  }

  async read(who: SignedIn, which: number): Promise<number> {
    const operation = reads[which % reads.length]?.operation;
    const ids: Record<string, string> = { id: this.id, userId: who.userId };
    const path = operation?.url.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? uuid()) ?? '';
    return (await this.#call(who, 'GET', path)).status;
  }

  get #kysely() {
    const [api] = processes;
    if (api === undefined) throw new Error('There is no process.');
    return api.database.kysely;
  }
}

/** A number and not a time: a busy machine tries as much as an idle one, and a run costs the same. */
const organizations = 20;

const kinds = ['invite', 'accept', 'change', 'remove', 'leave', 'delete', 'restore'] as const;
interface Action {
  kind: (typeof kinds)[number];
  actor: number;
  target: number;
  role: Role;
}

const person = fc.nat({ max: 2 });
const action = (which: readonly Action['kind'][]): fc.Arbitrary<Action> =>
  fc.record({ kind: fc.constantFrom(...which), actor: person, target: person, role: fc.constantFrom(...roles) });
const step = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(action(kinds)) },
  { weight: 2, arbitrary: fc.tuple(action(kinds), action(kinds)) },
  // Actions that remove owners, at the same time.
  { weight: 3, arbitrary: fc.tuple(action(['change', 'remove', 'leave']), action(['change', 'remove', 'leave'])) },
);
const other = fc.option(fc.constantFrom<Role>('owner', 'owner', 'admin', 'viewer'), { nil: undefined });

async function holds(world: World, turn: number): Promise<void> {
  const members = await world.members();
  expect([...members.values()], 'somebody owns it').toContain('owner');
  expect(await world.told(), 'the audit log tells the same').toEqual(members);
  const deleted = await world.isDeleted();
  for (const who of people) {
    const status = await world.read(who, turn);
    if (deleted || !members.has(who.userId)) expect([403, 404], `${who.name} is no member`).toContain(status);
  }
}

test('whatever three members do, somebody owns it, nobody else reads it, and the audit log tells the same', async () => {
  let steps = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(other, other),
      fc.array(step, { minLength: 3, maxLength: 12 }),
      async (others, sequence) => {
        const world = await World.begin(others);
        for (const actions of sequence) {
          await Promise.all(actions.map((one) => world.act(one)));
          await holds(world, steps);
          steps += 1;
        }
        const members = await world.members();
        for (const who of people.filter(({ userId }) => !members.has(userId))) {
          for (const which of reads.keys()) expect([403, 404]).toContain(await world.read(who, which));
        }
      },
    ),
    { numRuns: organizations },
  );
});
