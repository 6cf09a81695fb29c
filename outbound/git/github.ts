import { hostUrl } from '../../domain/git/address.ts';
import { OutboundFailed } from '../failures.ts';
import type { GitRules } from './ask.ts';
import { ApiClient, type GitHostAccess, type GitHostApi } from './host-api.ts';
import { account, ownRepositories, statusPath } from './like-github.ts';

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
