import { createServer, type IncomingMessage } from 'node:http';
import { beforeEach, describe, expect, test } from 'vitest';
import { portOf } from '../../machine/test-ground.ts';
import { gitServer } from '../../test/git/git-server.ts';
import { gitHost } from './host.ts';
import { probeGitHost } from './probe.ts';

interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
}
interface Asked {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

const rules = { allowedRanges: ['127.0.0.0/8'], timeoutMillis: 10_000 };
const commit = '1'.repeat(40);
const status = {
  state: 'failure',
  description: 'npm run build failed',
  targetUrl: 'https://ballast.example/builds/1',
  context: 'ballast/shop/api',
} as const;
let answers: Record<string, Answer>;
let asked: Asked[];
const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  const { method = '', url = '', headers } = request;
  asked.push({ method, url, headers, body });
  const found = answers[`${method} ${url}`] ?? answers[`${method} ${url.split('?')[0]}`];
  const { status: code = 200, headers: more = {}, body: json = { message: 'Not Found' } } = found ?? { status: 404 };
  response.writeHead(code, { 'content-type': 'application/json', ...more }).end(JSON.stringify(json));
});
const host = `http://127.0.0.1:${await portOf(server)}`;
beforeEach(() => {
  answers = {};
  asked = [];
});

const at = (provider: 'github' | 'gitlab' | 'gitea' | 'plain') =>
  gitHost(provider, { host, token: 'swordfish' }, rules);
const sent = () => ({ ...asked.at(-1), body: JSON.parse(asked.at(-1)?.body ?? '') });

describe('GitHub', () => {
  const user = { login: 'ada', id: 1 };
  test.each([
    ['repo, admin:org', []],
    ['public_repo', ['repo']],
    ['', ['repo']],
    [undefined, []],
  ])('a token with the scopes %j lacks %j', async (scopes, missingPermissions) => {
    answers['GET /api/v3/user'] = { body: user, headers: scopes === undefined ? {} : { 'X-OAuth-Scopes': scopes } };
    expect(await at('github').account()).toEqual({ login: 'ada', missingPermissions });
    expect(asked[0]?.headers).toMatchObject({
      authorization: 'Bearer swordfish',
      accept: 'application/vnd.github+json',
    });
  });

  test('repositories are read page by page and found by a part of their names', async () => {
    const repository = (name: string) => ({
      ...{ full_name: name, clone_url: `https://github.com/${name}.git`, default_branch: 'main', private: true },
    });
    const first = Array.from({ length: 100 }, (_, index) => repository(`team/app-${index}`));
    answers['GET /api/v3/user/repos?per_page=100&sort=pushed&page=1'] = { body: first };
    answers['GET /api/v3/user/repos?per_page=100&sort=pushed&page=2'] = { body: [repository('Team/API')] };
    expect(await at('github').repositories('m/api')).toEqual([
      { fullName: 'Team/API', cloneUrl: 'https://github.com/Team/API.git', defaultBranch: 'main', private: true },
    ]);
    expect(await at('github').repositories('')).toHaveLength(101);
    for (let page = 1; page <= 12; page += 1) {
      const body = first.map((one, index) => ({ ...one, full_name: `team/of-${page}-${index}` }));
      answers[`GET /api/v3/user/repos?per_page=100&sort=pushed&page=${page}`] = { body };
    }
    asked = [];
    expect(await at('github').repositories('')).toHaveLength(200);
    expect(await at('github').repositories('nothing')).toEqual([]);
    expect(asked).toHaveLength(2 + 10);
  });

  test('a status is set on its commit', async () => {
    answers[`POST /api/v3/repos/team/app/statuses/${commit}`] = { status: 201, body: { id: 1 } };
    await at('github').setStatus('team/app', commit, { ...status, description: 'x'.repeat(300) });
    const { targetUrl: target_url, state, context } = status;
    expect(sent().body).toEqual({ state, target_url, context, description: 'x'.repeat(140) });
    answers = { [`POST /api/v3/repos/team/app/statuses/${commit}`]: { status: 422 } };
    await expect(at('github').setStatus('team/app', commit, status)).rejects.toThrow('(422)');
  });
});

describe('GitLab', () => {
  test.each([
    [['api'], []],
    [['read_api', 'read_repository'], ['api']],
    [['read_user'], ['api', 'read_api', 'read_repository']],
  ])('a token with the scopes %j lacks %j', async (scopes, missingPermissions) => {
    answers['GET /api/v4/personal_access_tokens/self'] = { body: { id: 4, scopes } };
    answers['GET /api/v4/user'] = { body: { username: 'ada' } };
    expect(await at('gitlab').account()).toEqual({ login: 'ada', missingPermissions });
    expect(asked[0]?.headers['private-token']).toBe('swordfish');
  });

  test('a token that may not ask whose it is, and a host that tells no scopes', async () => {
    answers['GET /api/v4/personal_access_tokens/self'] = { body: { scopes: ['read_repository'] } };
    answers['GET /api/v4/user'] = { status: 403, body: { error: 'insufficient_scope' } };
    expect(await at('gitlab').account()).toEqual({ login: '', missingPermissions: ['api', 'read_api'] });
    answers = { 'GET /api/v4/user': { body: { username: 'ada' } } };
    expect(await at('gitlab').account()).toEqual({ login: 'ada', missingPermissions: [] });
  });

  test('repositories of groups within groups, without a branch, and public ones', async () => {
    const project = { http_url_to_repo: 'https://gitlab.com/a/b/c.git', default_branch: null, visibility: 'internal' };
    const open = { http_url_to_repo: 'https://gitlab.com/a/d.git', default_branch: 'dev', visibility: 'public' };
    answers['GET /api/v4/projects'] = {
      body: [
        { path_with_namespace: 'a/b/c', ...project },
        { path_with_namespace: 'a/d', ...open },
      ],
    };
    expect(await at('gitlab').repositories('')).toEqual([
      { fullName: 'a/b/c', cloneUrl: project.http_url_to_repo, defaultBranch: '', private: true },
      { fullName: 'a/d', cloneUrl: open.http_url_to_repo, defaultBranch: 'dev', private: false },
    ]);
  });

  test('a status is set, and one that is what it should be is fine', async () => {
    const path = `POST /api/v4/projects/a%2Fb%2Fc/statuses/${commit}`;
    answers[path] = { status: 201, body: { id: 1 } };
    await at('gitlab').setStatus('a/b/c', commit, status);
    const { description, context: name, targetUrl: target_url } = status;
    expect(sent().body).toEqual({ state: 'failed', name, target_url, description });
    answers[path] = { status: 400, body: { message: 'Cannot transition status via :enqueue from :pending' } };
    await at('gitlab').setStatus('a/b/c', commit, { ...status, state: 'pending' });
    await expect(at('gitlab').setStatus('a/b/c', commit, status)).rejects.toThrow('answered 400');
  });
});

describe('Gitea', () => {
  test('account, and the scopes that a token lacks', async () => {
    answers['GET /api/v1/user'] = { body: { login: 'ada' } };
    answers['GET /api/v1/user/repos'] = { body: [] };
    expect(await at('gitea').account()).toEqual({ login: 'ada', missingPermissions: [] });
    expect(asked[0]?.headers.authorization).toBe('token swordfish');
    answers['GET /api/v1/user'] = {
      status: 403,
      body: { message: 'token does not have at least one of required scope(s)' },
    };
    answers['GET /api/v1/user/repos'] = { status: 403 };
    expect(await at('gitea').account()).toEqual({ login: '', missingPermissions: ['read:user', 'read:repository'] });
  });

  test('repositories and a status', async () => {
    const repository = { full_name: 'ada/App', clone_url: 'https://codeberg.org/ada/App.git', private: false };
    answers['GET /api/v1/user/repos'] = { body: [{ ...repository, default_branch: 'trunk' }] };
    expect(await at('gitea').repositories('app')).toEqual([
      { fullName: 'ada/App', cloneUrl: repository.clone_url, defaultBranch: 'trunk', private: false },
    ]);
    answers[`POST /api/v1/repos/ada/App/statuses/${commit}`] = { status: 201, body: {} };
    await at('gitea').setStatus('ada/App', commit, status);
    const { state, description, context, targetUrl: target_url } = status;
    expect(sent().body).toEqual({ state, description, context, target_url });
  });
});

describe.each(['github', 'gitlab', 'gitea'] as const)('what a host of the kind %s says wrong', (provider) => {
  const paths = [
    '/api/v3/user',
    '/api/v4/user',
    '/api/v4/personal_access_tokens/self',
    '/api/v1/user',
    '/api/v1/user/repos',
  ];
  const all = (answer: Answer) => {
    answers = Object.fromEntries(paths.map((path) => [`GET ${path}`, answer]));
  };
  test.each([
    [{ status: 401 }, 'refuses the token (401)'],
    [{ status: 429 }, '(429)'],
    [{ status: 500, body: 'swordfish' }, 'answered 500'],
    [{ body: 'a text' }, 'something else than its documentation says'],
    [{ body: { login: 1, username: [] } }, 'something else'],
    [{ status: 302, headers: { location: 'http://169.254.169.254/latest/meta-data' } }, 'is a private address'],
    [{ status: 302, headers: { location: 'http://127.0.0.1:1/' } }, 'could not be reached'],
    [{ status: 302, headers: { location: 'file:///etc/passwd' } }, 'must begin with https'],
    [{ status: 302, headers: { location: '/api/v3/user' } }, 'redirects more than 3 times'],
    [{ status: 302 }, 'leads nowhere'],
  ] satisfies [Answer, string][])('%j', async (answer, why) => {
    all(answer);
    // Other paths than those of its own are asked after a redirect.
    if (why.startsWith('redirects')) all({ status: 302, headers: { location: `${asked.at(-1)?.url ?? paths[0]}` } });
    const failed = await at(provider)
      .account()
      .then(
        () => 'no failure',
        (error: Error) => error.message,
      );
    expect(failed).toContain(why);
    expect(failed).not.toContain('swordfish');
  });
});

test('a token stays with its host when that redirects', async () => {
  const seen: (string | undefined)[] = [];
  const other = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.end(JSON.stringify({ login: 'mallory' }));
  });
  const location = `http://127.0.0.1:${await portOf(other)}/user`;
  answers['GET /api/v3/user'] = { status: 307, headers: { location } };
  await at('github').account();
  expect(seen).toEqual([undefined]);
});

describe('which interface a host speaks', () => {
  test.each<[string, string, Answer]>([
    ['gitea', '/api/v1/version', { body: { version: '1.22.1' } }],
    ['gitlab', '/api/v4/version', { status: 401, body: { message: '401 Unauthorized' } }],
    ['gitlab', '/api/v4/version', { body: { version: '17.1', revision: 'a' } }],
    ['github', '/api/v3/meta', { body: { verifiable_password_authentication: true } }],
    [
      'github',
      '/api/v3/meta',
      { status: 401, body: { message: 'Must authenticate', documentation_url: 'https://docs' } },
    ],
    ['plain', '/api/v4/version', { body: 'a page' }],
    ['plain', '/', {}],
  ])('%s by %s', async (provider, path, answer) => {
    answers[`GET ${path}`] = answer;
    expect(await probeGitHost(host, rules)).toBe(provider);
    for (const { headers } of asked) expect(JSON.stringify(headers)).not.toContain('swordfish');
  });

  test('one that does not answer is none of them', async () => {
    await expect(probeGitHost('http://127.0.0.1:1', rules)).rejects.toThrow('could not be reached');
    await expect(probeGitHost('169.254.169.254', rules)).rejects.toThrow('is a private address');
    expect(await probeGitHost('github.com', rules)).toBe('github');
  });
});

test('branches are asked of git itself', async () => {
  const git = await gitServer({ credential: 'oauth2:swordfish' });
  await git.create('team/app.git');
  const own = gitHost('gitlab', { host: git.url, token: 'swordfish' }, rules);
  await expect(own.branches('team/app')).rejects.toThrow('push a commit first');
  await git.commit('team/app.git', { 'a.txt': 'a' });
  await git.commit('team/app.git', { 'b.txt': 'b' }, { branch: '--upload-pack=x' });
  expect(await own.branches('team/app')).toEqual({ branches: ['--upload-pack=x', 'main'], defaultBranch: 'main' });
  const plain = gitHost('plain', { host: git.url, token: 'oauth2:swordfish' }, rules);
  expect((await plain.branches('team/app')).branches).toHaveLength(2);
  await expect(plain.branches('team/other')).rejects.toThrow('is not there');
  await git.close();
});
