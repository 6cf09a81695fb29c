import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { portOf } from '../../machine/test-ground.ts';
import { type GitServer, gitServer } from '../../test/git/git-server.ts';
import { gitAddress } from './address.ts';
import { remoteRefs } from './remote-refs.ts';

const rules = { allowedRanges: ['127.0.0.0/8'] };
const bounds = { ...rules, timeoutMillis: 10_000 };
const own = { username: 'oauth2', password: 'swordfish' };

describe.each([
  ['the second version', false],
  ['the first version', true],
])('%s of the protocol', (_, firstVersionOnly) => {
  let server: GitServer;
  let commit = '';
  beforeAll(async () => {
    server = await gitServer({ credential: 'oauth2:swordfish', firstVersionOnly });
    await server.create('team/app.git');
    await server.create('team/empty.git');
    commit = await server.commit('team/app.git', { 'index.html': 'Hello' });
    await server.git('team/app.git', 'branch', 'release/1', 'main');
    await server.git('team/app.git', 'tag', '-a', '-m', 'One', 'v1', 'main');
  });
  afterAll(() => server.close());

  const ask = (name: string, credential: typeof own | undefined, ...prefixes: string[]) =>
    remoteRefs(gitAddress(`${server.url}/${name}`, rules), credential, prefixes, bounds);

  test('branches and tags are told with their commits, and which branch is checked out', async () => {
    expect(await ask('team/app.git', own, 'refs/heads/', 'refs/tags/')).toEqual({
      head: 'refs/heads/main',
      refs: [
        { name: 'refs/heads/main', commit },
        { name: 'refs/heads/release/1', commit },
        { name: 'refs/tags/v1', commit },
      ],
    });
    expect((await ask('team/app.git', own, 'refs/heads/rel')).refs).toEqual([{ name: 'refs/heads/release/1', commit }]);
  });

  test('an empty repository has no refs', async () => {
    expect((await ask('team/empty.git', own, 'refs/heads/')).refs).toEqual([]);
  });

  test('a private one needs a token, and a wrong one is told apart', async () => {
    await expect(ask('team/app.git', undefined, 'refs/')).rejects.toThrow('is not there, or it is private');
    const wrong = { ...own, password: 'wrong' };
    await expect(ask('team/app.git', wrong, 'refs/')).rejects.toThrow('or the token of the connection may not read it');
    await expect(ask('team/missing.git', own, 'refs/')).rejects.toThrow('is not there');
  });
});

describe('hosts that mean harm', () => {
  let answers: (url: string) => { status?: number; headers?: Record<string, string>; body?: Buffer | string };
  const authorized: (string | undefined)[] = [];
  const type = { 'content-type': 'application/x-git-upload-pack-advertisement' };
  const server = createServer((request, response) => {
    const { status = 200, headers = type, body = '' } = answers(request.url ?? '');
    response.writeHead(status, headers).end(body);
  });
  const other = createServer((request, response) => {
    authorized.push(request.headers.authorization);
    response.writeHead(404).end();
  });
  let url = '';
  beforeEach(async () => {
    url = `http://127.0.0.1:${await portOf(server)}/team/app.git`;
  });
  const ask = () => remoteRefs(gitAddress(url, rules), own, ['refs/'], bounds);

  test.each([
    'http://169.254.169.254/latest',
    'https://10.0.0.1/team/app.git',
    'file:///etc/passwd',
    'http://user@127.0.0.1/',
  ])('a redirect to %s is refused', async (location) => {
    answers = () => ({ status: 302, headers: { location } });
    await expect(ask()).rejects.toThrow(/private address|must begin with https|no user name|by https/);
  });

  test('the token stays with its host, and redirects end', async () => {
    const elsewhere = `http://127.0.0.1:${await portOf(other)}/team/app.git/info/refs`;
    answers = () => ({ status: 301, headers: { location: elsewhere } });
    await expect(ask()).rejects.toThrow('is not there');
    expect(authorized).toEqual([undefined]);
    answers = (at) => ({ status: 301, headers: { location: at } });
    await expect(ask()).rejects.toThrow('redirects more than 3 times');
  });

  test.each<[string, string | Buffer]>([
    ['a page', '<html>'],
    ['a length behind the end', 'ffff# service'],
    ['a length below four', '0003'],
    ['a refusal', '0012ERR not for u\n'],
  ])('%s is no list', async (what, body) => {
    answers = () => ({ body });
    await expect(ask()).rejects.toThrow(what === 'a refusal' ? 'refused to list' : /speak git's protocol/);
    answers = () => ({ body, headers: { 'content-type': 'text/html' } });
    await expect(ask()).rejects.toThrow('no Git repository at this address');
  });

  test('names that git would not take are left out', async () => {
    const oid = '1'.repeat(40);
    const packet = (text: string) => `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`;
    const names = ['refs/heads/good', 'refs/heads/a\nb', 'refs/heads/a b', '../../etc', `refs/${'x'.repeat(5_000)}`];
    answers = () => ({ body: `${names.map((name) => packet(`${oid} ${name}\n`)).join('')}0000` });
    expect((await ask()).refs).toEqual([{ name: 'refs/heads/good', commit: oid }]);
  });

  test('an answer without end is too much', async () => {
    answers = () => ({ body: Buffer.alloc(9 * 1024 * 1024, '0') });
    await expect(ask()).rejects.toThrow('too much');
  });
});

test.each([
  ['ssh://git@github.com/a/b.git', 'not reached by ssh'],
  ['git@github.com:a/b.git', 'not reached by ssh'],
  ['github.com:a/b.git', 'not reached by ssh'],
  ['ext::sh -c touch%20/tmp/x', 'without spaces'],
  ['ext::sh', 'helpers of git (ext::) are not run'],
  ['http::https://github.com/a/b', 'helpers of git'],
  ['file:///etc', 'must be an https address'],
  ['/etc', 'must be an https address'],
  ['git://github.com/a/b', 'must be an https address'],
  ['', 'must be an https address'],
  ['--upload-pack=touch', 'begins with -'],
  ['https://user:secret@github.com/a/b', 'no user name'],
  ['https://127.0.0.2/a/b', 'private address'],
  ['https://[::1]/a/b', 'private address'],
  ['http://8.8.8.8/a/b', 'must be reached by https'],
  ['https://github.com', 'must name a repository'],
  ['https://github.com/a/b?c=d', 'without ? and #'],
  ['https://github.com/a/b#c', 'without ? and #'],
  ['https://github.com/a\nb', 'without spaces'],
  [`https://github.com/${'a'.repeat(3_000)}`, 'at most'],
])('%j is no address of a repository', (text, why) => {
  expect(() => gitAddress(text, { allowedRanges: ['192.168.0.0/16'] })).toThrow(why);
});
