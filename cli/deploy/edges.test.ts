import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type JoinedCluster, joinedCluster } from '../../test/clusters/joined-cluster.ts';
import { begunCommand } from '../../test/commands/begun-command.ts';
import { handMadeLayout } from '../../test/images/hand-made-image.ts';

let joined: JoinedCluster;
let ballast: JoinedCluster['ballast'];
let layout: string;
let cwd: string;
/** For the drafts of commands: what is left there was forgotten. */
let drafts: string;

beforeAll(async () => {
  joined = await joinedCluster();
  cwd = join(joined.directory, 'shop');
  mkdirSync(cwd);
  drafts = mkdtempSync(join(joined.directory, 'drafts-'));
  ballast = (words, more = {}) => joined.ballast(words, { cwd, ...more });
  ({ layout } = await handMadeLayout([[{ name: 'run', content: 'a program' }]], { hostBound: true }));
});
afterAll(() => joined?.close());

/** The control plane, which answers but for pushes of images: they are taken and nothing comes of them. */
async function withoutPushes() {
  const { port, hostname } = new URL(joined.api.url);
  const server = createServer((asked, answer) => {
    const { method = '', url = '', headers } = asked;
    if (url.startsWith('/v2/') && !['GET', 'HEAD'].includes(method)) return void server.emit('pushed');
    const onward = request({ port, hostname, path: url, method, headers }, (given) => {
      given.pipe(answer.writeHead(given.statusCode ?? 0, given.headers));
    });
    asked.pipe(onward);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, pushed: once(server, 'pushed'), server };
}

async function projects(): Promise<string[]> {
  return JSON.parse((await ballast(['project', 'list', '--json'])).out).projects.map(
    ({ slug }: { slug: string }) => slug,
  );
}

test('at a terminal one question is asked, and no creates nothing', async () => {
  const refused = joined.atTerminal(['deploy', layout, '--service', 'web'], cwd);
  await refused.answer('Create it and deploy? [y/N]', 'n\r');
  expect([await refused.ended, refused.shown()]).toEqual([
    4,
    expect.stringContaining('Nothing was created or deployed.'),
  ]);
  expect(refused.shown()).not.toMatch(/Warning|\bat /);
  expect(await projects()).toEqual([]);
  const agreed = joined.atTerminal(['deploy', layout, '--service', 'web', '--no-wait'], cwd);
  await agreed.answer('the service web, in staging', '');
  await agreed.answer('Create it and deploy? [y/N]', 'yes\r');
  expect([await agreed.ended, agreed.shown()]).toEqual([0, expect.stringContaining('the image is pushed')]);
  expect(await projects()).toEqual(['shop']);
  await ballast(['cancel']);
});

test('Ctrl-C at the question about the changes of others leaves them, and a hidden value unset', async () => {
  const { deployer } = joined.ours.tokens;
  await ballast(['var', 'set', 'THEIRS=1'], { env: { BALLAST_TOKEN: 'token' in deployer ? deployer.token : '' } });
  const asked = joined.atTerminal(['deploy', '--staged', '--set', 'MINE=1', '--service', 'web'], cwd);
  await asked.answer('Deploy these too? [y/N]', '\x03');
  expect([await asked.ended, asked.shown()]).toEqual([
    130,
    expect.stringContaining('nothing more is staged than before'),
  ]);
  expect((await ballast(['var', 'list'])).out).not.toContain('MINE');
  const secret = joined.atTerminal(['var', 'set', 'SECRET', '--secret', '--service', 'web'], cwd);
  await secret.answer('Value of SECRET:', '\x03');
  expect([await secret.ended, secret.shown()]).toEqual([130, expect.stringContaining('nothing was changed')]);
  expect((await ballast(['var', 'list'])).out).not.toContain('SECRET');
  const kept = joined.atTerminal(['discard', '--all'], cwd);
  await kept.answer('Discard it? [y/N]', 'n\r');
  expect([await kept.ended, kept.shown()]).toEqual([4, expect.stringMatching(/THEIRS.*Nothing was discarded/s)]);
  expect((await ballast(['discard', '--all', '--yes'])).code).toBe(0);
});

test('Ctrl-C during the push deploys nothing and leaves no draft; the same command goes on', async () => {
  const archive = join(joined.directory, 'shop.tar');
  execFileSync('tar', ['-cf', archive, '-C', layout, '.']);
  const front = await withoutPushes();
  const env = { BALLAST_URL: front.url, TMPDIR: drafts };
  const pushing = begunCommand(joined.spawnBallast(['deploy', archive, '--json'], env, cwd));
  await front.pushed;
  expect(readdirSync(drafts)).toHaveLength(1);
  pushing.child.kill('SIGINT');
  expect(await pushing.ended).toBe(130);
  expect(pushing.said).toEqual({
    out: '',
    err: expect.stringContaining('ballast: Interrupted. Nothing was deployed;'),
  });
  expect(readdirSync(drafts)).toEqual([]);
  front.server.close();
  expect((await ballast(['cancel'])).err).toContain('No deployment is under way');
  expect(await ballast(['deploy', archive, '--no-wait'])).toMatchObject({ code: 0 });
  await ballast(['cancel']);
});

test('what cannot be deployed is refused before anything is created, with what to do', async () => {
  const nowhere = mkdtempSync(join(joined.directory, 'bin-'));
  const words = ['deploy', '--project', 'new', '--yes'];
  const refused = async (image: string, env: Record<string, string> = {}) => {
    const { code, out, err } = await ballast([...words, image], { env });
    expect([code === 0, out]).toEqual([false, '']);
    return err;
  };
  expect(await refused('shop:1.2', { PATH: nowhere })).toContain('there is no docker in the PATH to ask for a tag');
  writeFileSync(join(joined.directory, 'junk.tar'), randomBytes(2_000));
  expect(await refused(join(joined.directory, 'junk.tar'))).toContain('is no whole archive of an image');
  expect(await refused(join(joined.directory, 'junk.tar'))).not.toContain('BALLAST_DEBUG');
  expect(await refused('registry.example.com/UPPER:1')).toContain('"registry.example.com/UPPER:1" is no image of a');
  expect(await refused(joined.directory)).toContain('cannot be deployed as it is');
  expect(await refused(layout, { BALLAST_TOKEN: '' })).toContain('There is no API token: set BALLAST_TOKEN');
  expect(await refused(layout, { BALLAST_TOKEN: 'blt_wrong' })).toMatch(/token/);
  const { viewer } = joined.ours.tokens;
  expect(await refused(layout, { BALLAST_TOKEN: 'token' in viewer ? viewer.token : '' })).toMatch(/admin|deployer/);
  expect(await projects()).toEqual(['shop']);
});

test('a directory that remembers a deleted project says so, and one that cannot be written to deploys', async () => {
  const other = join(joined.directory, 'other');
  mkdirSync(join(other, '.ballast', 'deep'), { recursive: true });
  const file = join(other, '.ballast', 'project');
  const belonging = { organization: joined.ours.slug, project: 'gone', service: 'web' };
  writeFileSync(file, JSON.stringify(belonging));
  const forgotten = await ballast(['deploy', layout, '--yes'], { cwd: join(other, '.ballast', 'deep') });
  expect(forgotten).toMatchObject({ code: 2, err: expect.stringContaining(`${file} names it`) });
  const shown = await ballast(['status'], { cwd: other });
  expect(shown.err).toBe(
    `ballast: There is no project "gone"; there is: shop. ${file} names it: \`./ballast link --project NAME\` writes that anew.\n`,
  );
  expect(readFileSync(file, 'utf8')).toBe(JSON.stringify(belonging));
  rmSync(join(other, '.ballast'), { recursive: true });
  // Also for root, who may write everywhere: a file is in the place of the directory.
  writeFileSync(join(other, '.ballast'), '');
  chmodSync(other, 0o555);
  const words = ['deploy', layout, '--project', 'shop', '--service', 'web', '--no-wait'];
  expect(await ballast(words, { cwd: other })).toMatchObject({
    code: 0,
    err: expect.stringContaining('Not remembered'),
  });
  // Another user than root could not remove it.
  chmodSync(other, 0o755);
});
