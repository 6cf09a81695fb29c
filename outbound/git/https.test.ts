import { afterAll, expect, test } from 'vitest';
import { gitServer } from '../../test/git/git-server.ts';
import { authority } from '../../test/ground/authority.ts';
import { gitAddress } from './address.ts';
import { withCommitTree } from './commit/commit-tree.ts';
import { gitHost } from './host.ts';
import { remoteRefs } from './remote-refs.ts';

const signIn = { username: 'oauth2', password: 'swordfish' };
const allowed = { allowedRanges: ['127.0.0.0/8'], timeoutMillis: 25_000 };
const never = new AbortController().signal;
let location: string | undefined;

const trusted = await authority();
const git = await gitServer({
  certificate: await trusted.certify('127.0.0.1'),
  credential: 'oauth2:swordfish',
  before: ({ url = '' }, response) => {
    if (location === undefined) return false;
    response.writeHead(302, { location: `${location}${url}` }).end();
    return true;
  },
});
afterAll(() => git.close());

const rules = () => ({ ...allowed, certificateAuthorities: trusted.ca });
const refs = (url: string, by: object = rules()) => {
  const bounds = { ...allowed, ...by };
  return remoteRefs(gitAddress(`${url}/team/app.git`, bounds), signIn, ['refs/heads/'], bounds);
};
const files = (url: string, commit: string, by: object = rules()) => {
  const bounds = { ...allowed, ...by };
  const address = gitAddress(`${url}/team/app.git`, bounds);
  return withCommitTree(address, commit, signIn, bounds, never, async ({ paths }) => paths);
};

test('by https with an authority of the installation: refs, files of a commit, and the host itself', async () => {
  const commit = await git.commit('team/app.git', { 'index.html': 'Hello' });
  expect(await refs(git.url)).toEqual({ head: 'refs/heads/main', refs: [{ name: 'refs/heads/main', commit }] });
  expect(await files(git.url, commit)).toEqual(['index.html']);
  const host = gitHost('plain', { host: new URL(git.url).host, token: 'oauth2:swordfish' }, rules());
  expect(await host.branches('team/app')).toEqual({ branches: ['main'], defaultBranch: 'main' });
});

test('a certificate that is not trusted, expired or of another name is said in words, and nothing is sent', async () => {
  const asked = git.asked.length;
  const [name] = /Authority [\w-]+/.exec(String(await refs(git.url, allowed).catch(String))) ?? [];
  expect(name).toBeDefined();
  await expect(refs(git.url, allowed)).rejects.toThrow(
    `its certificate is signed by "${name}", which is not trusted; the owner of the installation can add that authority to the file of OUTBOUND_CA_FILE.`,
  );
  const other = { ...allowed, certificateAuthorities: (await authority()).ca };
  await expect(refs(git.url, other)).rejects.toThrow('which is not trusted');
  await expect(files(git.url, 'a'.repeat(40), other)).rejects.toThrow('did not give the commit');
  expect(git.asked).toHaveLength(asked);
  for (const [certificate, why] of [
    [await trusted.certifyExpired('127.0.0.1'), /its certificate expired on \d{4}-\d\d-\d\d; renew it there\.$/],
    [await trusted.certify('git.example.com'), 'its certificate is for another name'],
  ] as const) {
    const server = await gitServer({ certificate });
    await expect(refs(server.url)).rejects.toThrow(why);
    expect(server.asked).toEqual([]);
    await server.close();
  }
});

test('no redirect leads from https to http or to a private address, and none takes the token elsewhere', async () => {
  location = undefined;
  const commit = await git.commit('team/app.git', { 'index.html': 'Hello' });
  const certificate = await trusted.certify('127.0.0.1');
  const [plain, other, open] = [
    await gitServer(),
    await gitServer({ certificate, credential: 'somebody:else' }),
    await gitServer({ certificate }),
  ];
  try {
    location = plain.url;
    await expect(refs(git.url)).rejects.toThrow('redirects to plain http, which is not followed');
    await expect(files(git.url, commit)).rejects.toThrow('did not give the commit');
    expect(plain.asked).toEqual([]);
    location = 'https://10.1.2.3';
    await expect(refs(git.url)).rejects.toThrow('10.1.2.3 is a private address');
    await expect(files(git.url, commit)).rejects.toThrow('10.1.2.3 is a private address');
    location = other.url;
    await expect(refs(git.url)).rejects.toThrow('The repository is not there, or the token');
    await expect(files(git.url, commit)).rejects.toThrow('did not give the commit');
    expect(other.asked.length).toBeGreaterThan(1);
    location = open.url;
    const commits = [await open.commit('team/app.git', { 'index.html': 'Elsewhere' })];
    expect((await refs(git.url)).refs.map((one) => one.commit)).toEqual(commits);
    // The list of refs is a second question, to where the first one has led.
    expect(open.asked).toHaveLength(2);
    const asked = [...other.asked, ...open.asked];
    expect(asked.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
  } finally {
    location = undefined;
    for (const server of [plain, other, open]) await server.close();
  }
});
