import { z } from 'zod';
import type { ApiClient, GitRepository } from './host-api.ts';

/** What GitHub's interface and Gitea's, which imitates it, have in common. */
export const account = z.object({ login: z.string().max(200) });

const repositories = z.array(
  z.object({
    full_name: z.string().max(500),
    clone_url: z.string().max(2000),
    default_branch: z.string().max(500).nullish(),
    private: z.boolean(),
  }),
);

/** Those that the token sees, from pages of the largest size, such as `limit=50`. */
export async function ownRepositories(
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

export function statusPath(repository: string, commit: string): string {
  return `/repos/${repository.split('/').map(encodeURIComponent).join('/')}/statuses/${commit}`;
}
