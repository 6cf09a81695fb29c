import { cloneUrl, hostUrl } from '../../domain/git/address.ts';
import { type GitProvider, gitSignIn } from '../../domain/git/connections.ts';
import { gitAddress } from './address.ts';
import { askGitHost, type GitRules } from './ask.ts';
import { branchesOf, type GitBranches } from './branches.ts';
import { giteaApi, githubApi } from './github.ts';
import { gitlabApi } from './gitlab.ts';
import type { GitHostAccess, GitHostApi } from './host-api.ts';

export type { GitAccount, GitHostAccess, GitRepository, GitStatus } from './host-api.ts';

const apis = { github: githubApi, gitlab: gitlabApi, gitea: giteaApi, plain: plainApi } as const;

export interface GitHost extends GitHostApi {
  /** By git itself, so that every provider answers them. */
  branches(repository: string): Promise<GitBranches>;
}

/** A host of repositories, by the interface that it speaks. Throws `OutboundRefused` or `OutboundFailed`. */
export function gitHost(provider: GitProvider, access: GitHostAccess, rules: GitRules): GitHost {
  return {
    ...apis[provider](access, rules),
    async branches(repository) {
      const address = gitAddress(cloneUrl(access.host, repository), rules);
      const signIn = gitSignIn(provider, access.token);
      return await branchesOf(address, signIn, rules, `${repository} of ${access.host}`);
    },
  };
}

/** A host of which nothing is known but that it speaks git: repositories are named, not listed, and no status is set. */
function plainApi({ host }: GitHostAccess, rules: GitRules): GitHostApi {
  return {
    provider: 'plain',
    async account() {
      // Whether the token is of use only a repository can say; that the host answers is all there is to check.
      await askGitHost(`${hostUrl(host)}/`, { maxBytes: 1_048_576 }, rules);
      return { login: '', missingPermissions: [] };
    },
    repositories: async () => [],
    setStatus: async () => {},
  };
}
