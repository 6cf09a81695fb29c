import { cloneUrl } from '../../domain/git/address.ts';
import type { GitProvider } from '../../domain/git/connections.ts';
import { gitSignIn } from '../../domain/git/connections.ts';
import { gitAddress } from './address.ts';
import type { GitRules } from './ask.ts';
import { branchesOf, type GitBranches } from './branches.ts';
import { giteaApi } from './gitea.ts';
import { githubApi } from './github.ts';
import { gitlabApi } from './gitlab.ts';
import type { GitHostAccess, GitHostApi } from './host-api.ts';
import { plainApi } from './plain.ts';

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
