import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type JoinedCluster, joinedCluster } from '../test/clusters/joined-cluster.ts';

let joined: JoinedCluster;
let ballast: JoinedCluster['ballast'];
/** Somebody else of the organization. */
let other: JoinedCluster['ballast'];

beforeAll(async () => {
  joined = await joinedCluster();
  ({ ballast } = joined);
  const { deployer } = joined.ours.tokens;
  const token = 'token' in deployer ? deployer.token : '';
  other = (words) => ballast(words, { env: { BALLAST_TOKEN: token } });
  await ballast(['project', 'create', 'Shop']);
});
afterAll(() => joined?.close());

test('a service is created in staging, listed and shown', async () => {
  expect(await ballast(['service', 'create', 'Web', '--port', '3000'])).toEqual({
    code: 0,
    out: 'The service web is staged in staging.\n',
    err: '',
  });
  expect((await ballast(['service', 'list'])).out).toMatch(/^web +Web$/m);
  const shown = await ballast(['service', 'show']);
  expect(shown.out).toMatch(/^service +web "Web"/m);
  expect(shown.out).toMatch(/^web +http +3000 +1 +the image's$/m);
});

test('production is changed only where it is named', async () => {
  const elsewhere = await ballast(['service', 'create', 'Api', '--environment', 'production', '--json']);
  expect(JSON.parse(elsewhere.out)).toMatchObject({ service: { slug: 'api' }, environmentId: expect.any(String) });
  await ballast(['link', '--environment', 'production', '--service', 'web']);
  const refused = await ballast(['var', 'set', 'A=1']);
  expect(refused).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringContaining('name it, by --environment production'),
  });
  await ballast(['link', '--environment', 'staging', '--service', 'web']);
});

test('a service that the project has is staged elsewhere, and never made a second time', async () => {
  const there = ['--environment', 'production'];
  const staged = await ballast(['service', 'create', 'Web', ...there]);
  expect(staged).toMatchObject({
    code: 0,
    err: expect.stringContaining('The project has web already; that one is staged.'),
  });
  expect(staged.out).toMatch(/^web +Service web +added +/m);
  expect((await ballast(['service', 'list'])).out).not.toContain('web-2');
  const refused = await ballast(['service', 'create', 'web', '--port', '1', ...there]);
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('leave --port out, or choose another name') });
  await ballast(['discard', '--service', 'web', ...there]);
});

test('settings of the service and of its process are staged as they are typed', async () => {
  const words = ['replicas=3', 'command=node server.js', 'releaseCommand=["node","migrate.js"]', 'replicas=999'];
  const wrong = await ballast(['service', 'set', ...words]);
  expect(wrong).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^ballast: replicas: must be a whole number from 0 to/),
  });
  const set = await ballast(['service', 'set', ...words.slice(0, -1)]);
  expect(set.out).toMatch(/^web +Replicas of web +1 +3 /m);
  expect(set.err).toContain('`./ballast deploy --staged` applies them in staging.');
  expect((await ballast(['service', 'show'])).out).toMatch(/^web +http +3000 +3 +node server\.js$/m);
  const unknown = await ballast(['service', 'set', 'replica=3']);
  expect(unknown).toMatchObject({
    code: 2,
    err: expect.stringMatching(/There is no setting replica; there is: kind, /),
  });
});

test('variables are set, listed without secrets, and unset', async () => {
  const set = await ballast(['var', 'set', 'GREETER=me = you', 'EMPTY=']);
  expect(set.out).toMatch(/^web +Variable GREETER +"me = you" /m);
  const secret = await ballast(['var', 'set', 'PASSWORD', '--secret'], { input: 'precious\n' });
  expect([secret.code, secret.out]).toEqual([0, expect.stringMatching(/^web +Variable PASSWORD +secret /m)]);
  const listed = await ballast(['var', 'list']);
  expect(listed.out).toMatch(/^web +GREETER +me = you +run time +staged: set/m);
  expect(listed.out).toMatch(/^web +PASSWORD +\(secret\) +run time +staged: set/m);
  expect(`${secret.out}${secret.err}${listed.out}`).not.toContain('precious');
  expect(await ballast(['var', 'set', 'NOTHING'])).toMatchObject({
    code: 2,
    err: 'ballast: There is no value for NOTHING: write NOTHING=VALUE, or give it by the standard input.\n',
  });
  expect((await ballast(['var', 'unset', 'GREETER'])).out).not.toContain('GREETER');
});

test('an env file is imported as a whole, told without secrets, and exported again', async () => {
  const input = 'LEVEL=info # of the log\nexport MOTD="two\nlines"\nAPI_TOKEN=precious\n';
  const dry = await ballast(['var', 'import', '-', '--dry-run'], { input });
  expect(dry.out).toMatch(/^added +LEVEL +info$/m);
  expect(dry.out).toMatch(/^added +API_TOKEN +\(hidden\)$/m);
  expect(dry.err).toBe('Perhaps secret: API_TOKEN; import them with --secret API_TOKEN.\n');
  const imported = await ballast(['var', 'import', '-', '--secret', 'API_TOKEN'], { input });
  expect(imported.out).toMatch(/^added +API_TOKEN +\(secret\)$/m);
  expect(imported.err).toContain('`./ballast deploy --staged` applies them in staging.');
  expect(`${imported.out}${imported.err}`).not.toContain('precious');
  const again = await ballast(['var', 'import', '-', '--secret', 'API_TOKEN'], { input });
  expect(again).toMatchObject({ out: 'All 3 variables are so already.\n', err: '' });
  const exported = await ballast(['var', 'export']);
  expect(exported.out).toMatch(/^LEVEL=info$/m);
  expect(exported.out).toMatch(/^MOTD="two\\nlines"$/m);
  expect(exported.out).toMatch(/^# API_TOKEN is secret$/m);
  const wrong = await ballast(['var', 'import', '-'], { input: 'LEVEL=debug\nnothing\n' });
  expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('line 2: is not KEY=value: nothing') });
  expect((await ballast(['var', 'export'])).out).toMatch(/^LEVEL=info$/m);
  const past = await ballast(['var', 'history', 'LEVEL']);
  expect(past.out).toBe('Nothing was applied to LEVEL in staging.\n');
});

test('only what I have staged is discarded, unless all is asked for', async () => {
  await other(['var', 'set', 'THEIRS=1']);
  const mine = await ballast(['var', 'set', 'MINE=1', '--json']);
  const staged: { label: string }[] = JSON.parse(mine.out).items;
  expect(staged.map(({ label }) => label)).toEqual(expect.arrayContaining(['Variable THEIRS', 'Variable MINE']));
  // With the service that only I have staged goes all that was staged of it.
  await ballast(['service', 'create', 'Spare']);
  const left = await other(['discard']);
  expect(left.out).toMatch(/^1 staged change is discarded in staging; \d+ left\.$/m);
  expect(await other(['discard'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('are of others; give --all'),
  });
  const all = await other(['discard', '--all', '--json']);
  expect(JSON.parse(all.out).items).toEqual([]);
  expect((await ballast(['service', 'list'])).out).not.toMatch(/^spare/m);
});

test('a service is deleted everywhere by its name, with what ends told before', async () => {
  await ballast(['service', 'create', 'Spare']);
  expect(await ballast(['service', 'delete'])).toMatchObject({ code: 2 });
  expect(await ballast(['service', 'delete', 'spare'])).toMatchObject({
    code: 2,
    err: 'ballast: This deletes the service spare; give --yes to do that.\n  staged changes dropped: 1\n',
  });
  expect(await ballast(['service', 'delete', 'spare', '--wait', '--yes'])).toEqual({
    code: 0,
    out: 'The service spare is deleted; `./ballast deleted list` says until when it can be restored.\n',
    err: '',
  });
  expect((await ballast(['service', 'list'])).out).not.toMatch(/^spare/m);
});

test('a deleted service is purged by a person who types its name; whoever has a token is told where', async () => {
  const { admin } = joined.ours.sessions;
  const file = join(joined.directory, 'session');
  writeFileSync(file, 'session' in admin ? admin.session : '', { mode: 0o600 });
  const byToken = await ballast(['deleted', 'purge', 'spare', '--yes']);
  expect(byToken).toMatchObject({ code: 1, out: '' });
  expect(byToken.err).toContain(`takes a person, not a token: purge it at ${joined.api.url}/`);
  expect(byToken.err).toContain('/deleted, or give your session by --session-file');
  const purge = ['deleted', 'purge', 'spare', '--session-file', file];
  expect(await ballast(['deleted', 'purge', 'nothing', '--session-file', file])).toMatchObject({ code: 2 });
  expect(await ballast(purge)).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^ballast: This purges the service spare; give --yes to do that\.\n {2}of Shop\n/),
  });
  const state = async () => JSON.parse((await ballast(['deleted', 'list', '--json'])).out).deleted[0];
  const terminal = joined.atTerminal(purge, joined.directory);
  // Ctrl-D.
  await terminal.answer('Type its name, Spare, to purge it:', '\x04');
  expect([await terminal.ended, terminal.shown()]).toEqual([4, expect.stringContaining('Nothing was purged.')]);
  expect(await state()).toMatchObject({ name: 'Spare', restorable: true, purgeable: true });
  const purged = await ballast([...purge, '--yes', '--json']);
  expect(purged).toMatchObject({ code: 0, err: '' });
  expect(JSON.parse(purged.out)).toEqual({ purging: { kind: 'service', id: expect.any(String), name: 'Spare' } });
  expect(await state()).toMatchObject({ name: 'Spare', restorable: false, purgeable: false });
});

test('an environment is cloned, and compared with its source', async () => {
  const cloned = await ballast(['env', 'clone', 'staging', 'Load test']);
  expect(cloned).toMatchObject({ code: 0, out: 'shop has the environment load-test, with all of staging staged.\n' });
  const compared = await ballast(['env', 'compare', 'staging', 'load-test']);
  expect(compared).toMatchObject({ code: 0, out: 'staging and load-test are the same.\n' });
  expect(await ballast(['env', 'compare', 'staging', 'nowhere'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('There is no environment "nowhere"'),
  });
});

test('limits of builds are staged within the source as it is, each by itself', async () => {
  await ballast(['service', 'create', 'Built', '--kind', 'worker', '--image', 'registry.example.com/built:1']);
  const there = ['--service', 'built'];
  const shown = async () => (await ballast(['service', 'show', ...there])).out;
  const set = await ballast(['service', 'set', 'buildMemoryBytes=4294967296', 'buildSeconds=600', ...there]);
  expect(set.code, set.err).toBe(0);
  expect(await shown()).toMatch(/^build limits +memoryBytes=4294967296 seconds=600$/m);
  expect((await ballast(['service', 'set', 'buildSeconds=', ...there])).code).toBe(0);
  expect(await shown()).toMatch(/^build limits +memoryBytes=4294967296$/m);
  expect(await shown()).toMatch(/^image +registry\.example\.com\/built:1$/m);
  expect(await ballast(['service', 'set', 'buildMemoryBytes=1', ...there])).toMatchObject({
    code: 1,
    err: expect.stringContaining('memoryBytes'),
  });
});

test('a further process is staged with its settings, once, and each setting is one of a process', async () => {
  await ballast(['service', 'create', 'Mail']);
  const there = ['--service', 'mail'];
  const words = ['kind=worker', 'command=["/bin/sh","-c","bin/work | bin/mail"]', 'replicas=2'];
  const created = await ballast(['process', 'create', 'worker', ...words, ...there]);
  expect(created.out).toMatch(/^mail +Process worker +\{"kind":"worker",/m);
  expect(created.err).toBe('`./ballast deploy --staged` applies them in staging.\n');
  const shown = await ballast(['service', 'show', ...there]);
  expect(shown.out).toMatch(/^worker +worker +2 +\/bin\/sh -c bin\/work \| bin\/mail$/m);
  expect((await ballast(['process', 'create', 'nightly', 'kind=cron', 'schedule=0 3 * * *', ...there])).code).toBe(0);
  const refused = (name: string, ...settings: string[]) => ballast(['process', 'create', name, ...settings, ...there]);
  expect(await refused('worker')).toMatchObject({
    code: 2,
    err: 'ballast: mail has a process worker in staging already: `./ballast service set FIELD=VALUE --process worker` changes it.\n',
  });
  expect(await refused('other', 'image=a.example.com/b:1')).toMatchObject({
    code: 2,
    err: 'ballast: source is of the service, and not of one process: `./ballast service set` sets it.\n',
  });
  expect(await refused('other', 'kind=cron')).toMatchObject({
    ...{ code: 1, err: 'ballast: schedule: is missing: a cron process needs one.\n' },
  });
  expect(await refused('Other')).toMatchObject({
    ...{ code: 1, err: expect.stringMatching(/^ballast: name: must begin with a letter/) },
  });
});
