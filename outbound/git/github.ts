import { z } from 'zod';
import { hostUrl } from '../../domain/git/address.ts';
import { OutboundFailed } from '../failures.ts';
import type { GitRules } from './ask.ts';
import { ApiClient, type GitHostAccess, type GitHostApi, type GitRepository } from './host-api.ts';

/** github.com, or an installation of GitHub Enterprise Server. */
export function githubApi({ host, token }: GitHostAccess, rules: GitRules): GitHostApi {
  const base = host === 'github.com' ? 'https://api.github.com' : `${hostUrl(host)}/api/v3`;
  const headers = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' };
  const client = new ApiClient({ host, base, headers, secretHeaders: { authorization: `Bearer ${token}` } }, rules);
  return {
    provider: 'github',
    async account() {
      const answer = await client.ask('/user');
      if (answer.status !== 200) throw client.failed(answer.status);
      const { login } = client.parsed(answer, account);
      return { login, missingPermissions: missing(answer.headers['x-oauth-scopes']) };
    },
    repositories: (q) => ownRepositories(client, { size: 'per_page=100', more: '&sort=pushed' }, q),
    async setStatus(repository, commit, { state, description, targetUrl, context }) {
      const body = { state, target_url: targetUrl, description: description.slice(0, 140), context };
      const { status } = await client.ask(statusPath(repository, commit), body);
      if (status === 422) throw new OutboundFailed(`${host} does not take a status of this commit (422).`);
      if (status !== 201) throw client.failed(status);
    },
  };
}

/** Only tokens of the classic kind say their scopes; `repo` is all that Ballast asks for. */
function missing(scopes: string | string[] | undefined): string[] {
  if (scopes === undefined) return [];
  const has = String(scopes)
    .split(',')
    .map((one) => one.trim());
  return has.includes('repo') ? [] : ['repo'];
}

/** The interface of GitHub, which that of Gitea imitates. */
const account = z.object({ login: z.string().max(200) });

const repositories = z.array(
  z.object({
    full_name: z.string().max(500),
    clone_url: z.string().max(2000),
    default_branch: z.string().max(500).nullish(),
    private: z.boolean(),
  }),
);

/** Those that the token sees, from pages of the largest size, such as `limit=50`. */
async function ownRepositories(
  client: ApiClient,
  { size, more = '' }: { size: string; more?: string },
  q: string,
): Promise<GitRepository[]> {
  return await client.pages(
    (page) => `/user/repos?${size}${more}&page=${page}`,
    Number(size.split('=')[1]),
    repositories,
    (one) => ({
      fullName: one.full_name,
      cloneUrl: one.clone_url,
      defaultBranch: one.default_branch ?? '',
      private: one.private,
    }),
    q,
  );
}

function statusPath(repository: string, commit: string): string {
  return `/repos/${repository.split('/').map(encodeURIComponent).join('/')}/statuses/${commit}`;
}

/** An installation of Gitea or Forgejo, such as codeberg.org. */
export function giteaApi({ host, token }: GitHostAccess, rules: GitRules): GitHostApi {
  const base = `${hostUrl(host)}/api/v1`;
  const client = new ApiClient({ host, base, secretHeaders: { authorization: `token ${token}` } }, rules);
  return {
    provider: 'gitea',
    async account() {
      const user = await client.ask('/user');
      const repos = await client.ask('/user/repos?limit=1');
      if (user.status === 401 || repos.status === 401) throw client.failed(401);
      for (const { status } of [user, repos]) if (status !== 200 && status !== 403) throw client.failed(status);
      const login = user.status === 200 ? client.parsed(user, account).login : '';
      const missingPermissions = [
        ...(user.status === 200 ? [] : ['read:user']),
        ...(repos.status === 200 ? [] : ['read:repository']),
      ];
      return { login, missingPermissions };
    },
    repositories: (q) => ownRepositories(client, { size: 'limit=50' }, q),
    async setStatus(repository, commit, { state, description, targetUrl, context }) {
      const { status } = await client.ask(statusPath(repository, commit), {
        state,
        target_url: targetUrl,
        description,
        context,
      });
      if (status !== 201) throw client.failed(status);
    },
  };
}
