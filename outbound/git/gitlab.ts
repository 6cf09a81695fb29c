import { z } from 'zod';
import { hostUrl } from '../../domain/git/address.ts';
import type { GitRules } from './ask.ts';
import { ApiClient, type GitHostAccess, type GitHostApi } from './host-api.ts';

const account = z.object({ username: z.string().max(200) });
const tokenItself = z.object({ scopes: z.array(z.string()) });
const projects = z.array(
  z.object({
    path_with_namespace: z.string().max(500),
    http_url_to_repo: z.string().max(2000),
    default_branch: z.string().max(500).nullish(),
    visibility: z.string().nullish(),
  }),
);
const refusal = z.object({ message: z.string() });

/** gitlab.com, or an installation of GitLab. */
export function gitlabApi({ host, token }: GitHostAccess, rules: GitRules): GitHostApi {
  const base = `${hostUrl(host)}/api/v4`;
  const client = new ApiClient({ host, base, secretHeaders: { 'private-token': token } }, rules);
  return {
    provider: 'gitlab',
    async account() {
      const self = await client.ask('/personal_access_tokens/self');
      if (self.status === 401) throw client.failed(401);
      // Hosts before version 15.5, and tokens of OAuth, do not say it.
      const scopes = self.status === 200 ? client.parsed(self, tokenItself).scopes : undefined;
      const user = await client.ask('/user');
      if (user.status === 401) throw client.failed(401);
      // A token that only reads repositories may not ask whose it is.
      const login = user.status === 200 ? client.parsed(user, account).username : '';
      if (user.status !== 200 && scopes === undefined) throw client.failed(user.status);
      return { login, missingPermissions: missing(scopes) };
    },
    repositories: async (q) =>
      await client.pages(
        (page) => `/projects?membership=true&order_by=last_activity_at&per_page=100&page=${page}`,
        100,
        projects,
        (one) => ({
          fullName: one.path_with_namespace,
          cloneUrl: one.http_url_to_repo,
          defaultBranch: one.default_branch ?? '',
          private: one.visibility !== 'public',
        }),
        q,
      ),
    async setStatus(repository, commit, { state, description, targetUrl, context }) {
      const path = `/projects/${encodeURIComponent(repository)}/statuses/${commit}`;
      const of = state === 'failure' || state === 'error' ? 'failed' : state;
      const body = { state: of, name: context, target_url: targetUrl, description: description.slice(0, 140) };
      const answer = await client.ask(path, body);
      if (answer.status === 201 || answer.status === 200) return;
      // A status that is what it should be is refused by most versions.
      if (answer.status === 400) {
        const { message } = client.parsed(answer, refusal);
        if (message.startsWith('Cannot transition status') && message.includes(`from :${of}`)) return;
      }
      throw client.failed(answer.status);
    },
  };
}

/** `api` sets statuses of commits; without it what reads repositories and lists them would still build. */
function missing(scopes: readonly string[] | undefined): string[] {
  if (scopes === undefined || scopes.includes('api')) return [];
  const reads = scopes.includes('read_repository') || scopes.includes('write_repository');
  return ['api', ...(scopes.includes('read_api') ? [] : ['read_api']), ...(reads ? [] : ['read_repository'])];
}
