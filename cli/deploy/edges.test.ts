import { type ChildProcessWithoutNullStreams, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type JoinedCluster, joinedCluster } from '../../test/clusters/joined-cluster.ts';
import { proxyTo, type TcpProxy } from '../../test/ground/proxy.ts';
import { until } from '../../test/ground/until.ts';
import { handMadeLayout } from '../../test/images/hand-made-image.ts';
import { testInAll } from '../../test/run/matrix.ts';

let joined: JoinedCluster;
let ballast: JoinedCluster['ballast'];
let proxy: TcpProxy;
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
  proxy = await proxyTo(new URL(joined.api.url).host);
  ({ layout } = await handMadeLayout([[{ name: 'run', content: 'a program' }]], { hostBound: true }));
});
afterAll(async () => {
  await proxy?.close();
  await joined?.close();
});

/** A command that a test goes on with while it runs, by way of the proxy. */
function begun(words: string[]) {
  const env = { BALLAST_URL: `http://${proxy.address}`, TMPDIR: drafts };
  const child: ChildProcessWithoutNullStreams = joined.spawnBallast(words, env, cwd);
  child.stdin.end();
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.err += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const says = (text: string) =>
    until(`it says "${text}"`, async () => said.err.includes(text), 60).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${said.err}`);
    });
  return { child, said, ended, says };
}

async function projects(): Promise<string[]> {
  return JSON.parse((await ballast(['project', 'list', '--json'])).out).projects.map(
    ({ slug }: { slug: string }) => slug,
  );
}

test('at a terminal one question is asked, and no, Ctrl-C and Ctrl-D create nothing', async () => {
  for (const [typed, code, told] of [
    ['n\r', 4, 'Nothing was created or deployed.'],
    ['\x04', 4, 'Nothing was created or deployed.'],
    ['\x03', 130, 'ballast: Interrupted. Nothing was created or deployed.'],
  ] as const) {
    const terminal = joined.atTerminal(['deploy', layout, '--service', 'web'], cwd);
    await terminal.answer('Create it and deploy? [y/N]', typed);
    expect([await terminal.ended, terminal.shown()]).toEqual([code, expect.stringContaining(told)]);
    expect(terminal.shown()).not.toMatch(/Warning|\bat /);
  }
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
  expect([await asked.ended, asked.shown()]).toEqual([130, expect.stringContaining('your changes stay staged')]);
  const secret = joined.atTerminal(['var', 'set', 'SECRET', '--secret', '--service', 'web'], cwd);
  await secret.answer('Value of SECRET:', '\x03');
  expect([await secret.ended, secret.shown()]).toEqual([130, expect.stringContaining('nothing was changed')]);
  expect((await ballast(['var', 'list'])).out).not.toContain('SECRET');
  expect((await ballast(['discard', '--all'])).code).toBe(0);
});

test('Ctrl-C during the push deploys nothing and leaves no draft; the same command goes on', async () => {
  const big = await handMadeLayout([randomBytes(40_000_000)], { compression: 'tar', hostBound: true });
  const archive = join(joined.directory, 'big.tar');
  execFileSync('tar', ['-cf', archive, '-C', big.layout, '.']);
  const pushing = begun(['deploy', archive, '--json']);
  await until('the archive is unpacked', async () => readdirSync(drafts).length > 0);
  await proxy.freeze();
  await pushing.says('the image is pushed');
  pushing.child.kill('SIGINT');
  expect(await pushing.ended).toBe(130);
  expect(pushing.said).toEqual({
    out: '',
    err: expect.stringContaining('ballast: Interrupted. Nothing was deployed;'),
  });
  expect(readdirSync(drafts)).toEqual([]);
  await proxy.restore();
  expect((await ballast(['cancel'])).err).toContain('No deployment is under way');
  expect(await ballast(['deploy', archive, '--no-wait'])).toMatchObject({ code: 0 });
  await ballast(['cancel']);
});

testInAll('a control plane that goes away is waited for, until the time is up or somebody presses Ctrl-C', async () => {
  const deploy = (value: string, ...more: string[]) =>
    begun(['deploy', '--staged', '--service', 'web', '--set', `A=${value}`, ...more]);
  const late = deploy('1', '--timeout', '8s', '--json');
  await late.says('web pending');
  await proxy.freeze();
  expect(await late.ended).toBe(5);
  expect(late.said.err).toContain('The time is up, and it is still under way');
  await proxy.restore();
  expect(JSON.parse(late.said.out)).toMatchObject({ environment: 'staging', deployments: [{ serviceName: 'web' }] });

  const pressed = begun(['deploy', '--staged', '--json']);
  await pressed.says('this is under way there');
  await pressed.says('web pending');
  await proxy.cut();
  await pressed.says('does not answer (ECONNREFUSED); it is tried again');
  pressed.child.kill('SIGINT');
  expect(await pressed.ended).toBe(130);
  expect(pressed.said.err).toContain('It continues without this command: `./ballast status --wait --project shop');
  expect(JSON.parse(pressed.said.out).deployments).toHaveLength(1);

  await proxy.restore();
  const followed = begun(['status', '--wait']);
  await followed.says('web pending');
  await proxy.cut();
  await followed.says('does not answer (ECONNREFUSED); it is tried again');
  await proxy.restore();
  await ballast(['cancel', '--no-wait']);
  expect(await followed.ended).toBe(4);
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
});
