import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { afterAll, expect, test } from 'vitest';
import { portOf } from '../../../machine/test-ground.ts';
import { gitServer } from '../../../test/git/git-server.ts';
import { gitAddress } from '../address.ts';
import { withCommitTree } from './commit-tree.ts';

const rules = { allowedRanges: ['127.0.0.0/8'], timeoutMillis: 25_000 };
const own = { username: 'oauth2', password: 'swordfish' };
const never = new AbortController().signal;
const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`ballast-commit-${process.pid}-`));
let location: string | undefined;
const git = await gitServer({
  credential: 'oauth2:swordfish',
  before: (_, response) => {
    if (location === undefined) return false;
    response.writeHead(302, { location }).end();
    return true;
  },
});
await git.create('team/app.git');
afterAll(() => git.close());

const read = (commit: string, credential: typeof own | undefined, ...paths: string[]) =>
  withCommitTree(gitAddress(`${git.url}/team/app.git`, rules), commit, credential, rules, never, async (tree) => ({
    paths: tree.paths,
    texts: Object.fromEntries(await tree.texts(paths)),
  }));

test('names come at once, and the texts that are asked for', async () => {
  const large = 'x'.repeat(300_000);
  const files = { 'package.json': '{}', 'a/ü b.txt': 'Grüße', 'a\nb': 'newline', '-x': 'dash', large };
  const commit = await git.commit('team/app.git', files);
  const asked = Object.keys(files);
  expect(await read(commit, own, ...asked, 'not-there', '../x')).toEqual({
    paths: asked.toSorted(),
    texts: { 'package.json': '{}', 'a/ü b.txt': 'Grüße', 'a\nb': 'newline', '-x': 'dash' },
  });
  expect(left()).toEqual([]);
});

test('a repository that is private, a commit that is not there, and a redirect elsewhere are clear errors', async () => {
  const commit = await git.commit('team/app.git', { 'b.txt': 'b' });
  await expect(read(commit, undefined)).rejects.toThrow('did not give the commit');
  await expect(read('1'.repeat(40), own)).rejects.toThrow('did not give the commit');
  const other = createServer((request, response) => {
    authorized.push(request.headers.authorization);
    response.writeHead(401, { 'www-authenticate': 'Basic realm="other"' }).end();
  });
  const authorized: (string | undefined)[] = [];
  location = `http://127.0.0.1:${await portOf(other)}/team/app.git/info/refs?service=git-upload-pack`;
  await expect(read(commit, own)).rejects.toThrow('did not give the commit');
  expect(authorized.length).toBeGreaterThan(0);
  expect(authorized.filter((one) => one !== undefined)).toEqual([]);
  location = 'http://169.254.169.254/info/refs?service=git-upload-pack';
  await expect(read(commit, own)).rejects.toThrow('169.254.169.254 is a private address');
  location = undefined;
  expect(left()).toEqual([]);
});
