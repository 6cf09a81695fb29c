import { z } from 'zod';
import { hostUrl } from '../../domain/git/clone-url.ts';
import { OutboundFailed } from '../failures.ts';
import type { GitRules } from './ask.ts';
import { ApiClient, type GitHostAccess, type GitHostApi } from './host-api.ts';

const account = z.object({ login: z.string().max(200) });
const repositories = z.array(
  z.object({
    full_name: z.string().max(500),
    clone_url: z.string().max(2000),
    default_branch: z.string().max(500).nullish(),
    private: z.boolean(),
  }),
);

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
    repositories: async (q) =>
      await client.pages(
        (page) => `/user/repos?per_page=100&sort=pushed&page=${page}`,
        100,
        repositories,
        (one) => ({
          fullName: one.full_name,
          cloneUrl: one.clone_url,
          defaultBranch: one.default_branch ?? '',
          private: one.private,
        }),
        q,
      ),
    async setStatus(repository, commit, { state, description, targetUrl, context }) {
      const path = `/repos/${repository.split('/').map(encodeURIComponent).join('/')}/statuses/${commit}`;
      const body = { state, target_url: targetUrl, description: description.slice(0, 140), context };
      const { status } = await client.ask(path, body);
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
