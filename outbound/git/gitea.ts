import { z } from 'zod';
import { hostUrl } from '../../domain/git/clone-url.ts';
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
    repositories: async (q) =>
      await client.pages(
        (page) => `/user/repos?limit=50&page=${page}`,
        50,
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
      const { status } = await client.ask(path, { state, target_url: targetUrl, description, context });
      if (status !== 201) throw client.failed(status);
    },
  };
}
