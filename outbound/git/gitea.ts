import { hostUrl } from '../../domain/git/address.ts';
import type { GitRules } from './ask.ts';
import { ApiClient, type GitHostAccess, type GitHostApi } from './host-api.ts';
import { account, ownRepositories, statusPath } from './like-github.ts';

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
