import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { effect } from '../db/engine/effect.ts';
import { beat } from '../db/engine/processes/processes.ts';
import { builtInProviderId } from '../db/keys/identity-secrets.ts';
import { hashSecret } from '../db/keys/secrets.ts';
import { bindIdentity } from '../db/sign-in/identities.ts';
import { createSession } from '../db/sign-in/sessions.ts';
import { CommandHost, type Ended } from '../test/commands/command-host.ts';
import { bareEnvironment } from '../test/ground/bare-environment.ts';
import { type FreshDatabase, freshDatabase } from '../test/ground/fresh-database.ts';
import { machine, seedMember, seedOrganization, seedUser } from '../test/seeds/seed.ts';

const host = new CommandHost();
const home = mkdtempSync(join(tmpdir(), 'ballast-users-'));
let fresh: FreshDatabase;

afterAll(async () => {
  await host.close();
  rmSync(home, { recursive: true });
});
beforeEach(async () => {
  fresh = await freshDatabase({ poolMax: 2 });
  return () => fresh.drop();
});

function ballast(...words: string[]): Promise<Ended> {
  return given({}, ...words);
}

function given(settings: Record<string, string>, ...words: string[]): Promise<Ended> {
  const nowhere = { TEMPORAL_ADDRESS: '127.0.0.1:1', BALLAST_HOME: join(home, 'none') };
  const env = { ...bareEnvironment, DATABASE_URL: fresh.url, ...nowhere, ...settings };
  return host.run({ words, env, cwd: home, input: '' });
}

async function links() {
  return await fresh.database.kysely
    .selectFrom('sign_in_link')
    .select(['kind', 'secret_hash as secretHash', 'user_id as userId'])
    .execute();
}

async function audited(): Promise<string[]> {
  const rows = await fresh.database.kysely
    .selectFrom('audit_record')
    .select(['action', 'actor_kind as kind'])
    .where('action', 'not like', 'organization.%')
    .orderBy('at')
    .orderBy('id')
    .execute();
  return rows.filter(({ kind }) => kind === 'machine').map(({ action }) => action);
}

/** Somebody who is signed in, here and at the built-in provider. */
async function signedIn(userId: string): Promise<void> {
  const { database } = fresh;
  await effect(database, machine, async (change) => {
    await createSession(change, { userId, lifetimeSeconds: 600 });
    await bindIdentity(change, { providerId: builtInProviderId, subject: `account of ${userId}`, userId });
  });
  await database.kysely
    .insertInto('provider_record')
    .values({
      model: 'Session',
      id_hash: hashSecret(userId),
      payload: Buffer.from('-'),
      account_id: `account of ${userId}`,
    })
    .execute();
}

async function sessionsOpen(): Promise<{ here: number; atProvider: number }> {
  const { kysely } = fresh.database;
  const here = await kysely.selectFrom('session').select('id').where('ended_at', 'is', null).execute();
  const atProvider = await kysely.selectFrom('provider_record').select('model').execute();
  return { here: here.length, atProvider: atProvider.length };
}

test('sign-in-link leads to where people reach it, once, until there is an owner', async () => {
  const id = crypto.randomUUID();
  const publicUrl = 'https://ballast.example.com';
  await beat(fresh.database.kysely, { id, kind: 'api', version: '0.0.0', state: { publicUrl } });
  const { code, out, err } = await ballast('sign-in-link');
  expect(code).toBe(0);
  const [, secret = ''] = /^https:\/\/ballast\.example\.com\/sign-in-link#([\w-]{43})\n$/.exec(out) ?? [];
  expect(err).toContain('within 15 minutes');
  expect(await links()).toEqual([{ kind: 'first-owner', secretHash: hashSecret(secret), userId: null }]);
  const inJson = await given({ PUBLIC_URL: 'https://other.example.com' }, 'sign-in-link', '--json');
  expect(JSON.parse(inJson.out)).toEqual({
    url: expect.stringMatching(/^https:\/\/other\.example\.com\/sign-in-link#/),
    expiresAt: expect.any(String),
  });
  expect(await audited()).toEqual(['sign_in_link.created', 'sign_in_link.created']);

  const owner = await seedMember(fresh.database, await seedOrganization(fresh.database), 'owner');
  const refused = await ballast('sign-in-link');
  expect({ code: refused.code, out: refused.out }).toEqual({ code: 1, out: '' });
  expect(refused.err).toContain(`${owner}@example.com`);
  expect(refused.err).toMatch(/^ballast: .+\.\n$/);
});

test('user list shows everybody, and no name steers the terminal', async () => {
  expect((await ballast('user', 'list')).out).toContain('Nobody has signed in yet');
  const slug = 'operations';
  const id = await seedMember(
    fresh.database,
    await seedOrganization(fresh.database, slug),
    'deployer',
    'Ada\u001b[31m',
  );
  const { out } = await ballast('user', 'list');
  expect(out).toContain(`${id}@example.com`);
  expect(out).toContain('operations (deployer)');
  expect(out).not.toContain('\u001b');
  const { users } = JSON.parse((await ballast('user', 'list', '--json')).out);
  expect(users).toMatchObject([{ id, organizations: [{ slug, role: 'deployer' }], disabledAt: null, providers: [] }]);
});

test('user reset signs out everywhere and makes a link for that account alone', async () => {
  const [ada, grace] = [await seedUser(fresh.database), await seedUser(fresh.database)];
  await signedIn(ada);
  await signedIn(grace);
  const { code, out } = await ballast('user', 'reset', '--email', `${ada.toUpperCase()}@example.com`, '--json');
  expect(code).toBe(0);
  expect(JSON.parse(out).url).toContain('/sign-in-link#');
  expect(await links()).toMatchObject([{ kind: 'reset', userId: ada }]);
  expect(await sessionsOpen()).toEqual({ here: 1, atProvider: 1 });
  expect(await audited()).toEqual(expect.arrayContaining(['session.ended', 'sign_in_link.created']));
});

test('user reset is refused where the password is kept elsewhere', async () => {
  const ada = await seedUser(fresh.database);
  const email = `${ada}@example.com`;
  const elsewhere = { OIDC_ISSUER: 'https://accounts.example.com', OIDC_CLIENT_ID: 'ballast' };
  const external = await given(elsewhere, 'user', 'reset', '--email', email);
  expect(external.err).toMatch(/^ballast: People sign in with https:\/\/accounts\.example\.com.+\n$/);
  const without = await ballast('user', 'reset', '--id', ada);
  expect(without.err).toContain(`\`./ballast admin link --id ${ada}\``);
  expect([external.code, without.code]).toEqual([1, 1]);
  expect(await links()).toEqual([]);
});

test('user disable ends all sessions at once, user enable lets in again', async () => {
  const ada = await seedUser(fresh.database);
  await signedIn(ada);
  const { code, out } = await ballast('user', 'disable', '--id', ada);
  expect({ code, out }).toEqual({ code: 0, out: `${ada}@example.com is disabled and signed out everywhere.\n` });
  expect(await sessionsOpen()).toEqual({ here: 0, atProvider: 0 });
  expect((await ballast('user', 'reset', '--id', ada)).err).toContain('user enable');
  expect((await ballast('admin', 'link', '--id', ada)).err).toContain('user enable');
  expect(JSON.parse((await ballast('user', 'disable', '--id', ada, '--json')).out)).toMatchObject({ changed: false });
  expect((await ballast('user', 'enable', '--id', ada)).out).toContain('can sign in again');
  expect((await ballast('user', 'enable', '--id', ada)).out).toContain('was not disabled');
  const actions = await audited();
  expect(actions.filter((action) => action.startsWith('user.'))).toEqual(['user.disabled', 'user.enabled']);
});

test('the last owner who can sign in is disabled only by force', async () => {
  const organization = await seedOrganization(fresh.database, 'operations');
  const ada = await seedMember(fresh.database, organization, 'owner');
  const grace = await seedMember(fresh.database, organization, 'owner');
  expect((await ballast('user', 'disable', '--id', grace)).code).toBe(0);
  const refused = await ballast('user', 'disable', '--id', ada);
  expect(refused.code).toBe(1);
  expect(refused.err).toContain('only owner who can sign in of operations');
  expect((await ballast('user', 'disable', '--id', ada, '--force')).code).toBe(0);
});

test('admin link makes a link that moves that account', async () => {
  const ada = await seedUser(fresh.database);
  const { out, err } = await ballast('admin', 'link', '--id', ada);
  expect(out).toMatch(/^http:\/\/localhost:8088\/sign-in-link#[\w-]{43}\n$/);
  expect(err).toContain('nobody else');
  expect(await links()).toMatchObject([{ kind: 'move', userId: ada }]);
});

test.each([
  [['--email', 'nobody@example.com'], /^ballast: There is nobody with nobody@example\.com; .+\n$/, 1],
  [['--id', 'ada'], /^ballast: --id needs the id of a person.+\n$/, 2],
  [
    ['--id', crypto.randomUUID(), '--email', 'ada@example.com'],
    /^ballast: Say who it is by --email or by --id.+\n$/,
    2,
  ],
])('who is not found is said in a sentence: %j', async (words, sentence, code) => {
  const answer = await ballast('admin', 'link', ...words);
  expect(answer).toMatchObject({ code, out: '', err: expect.stringMatching(sentence) });
});
