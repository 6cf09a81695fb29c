import { cloneUrl } from '../../domain/git/clone-url.ts';
import type { GitProvider } from '../../domain/git/connections.ts';
import { gitSignIn } from '../../domain/git/sign-in.ts';
import { OutboundFailed } from '../failures.ts';
import { gitAddress } from './address.ts';
import type { GitRules } from './ask.ts';
import { giteaApi } from './gitea.ts';
import { githubApi } from './github.ts';
import { gitlabApi } from './gitlab.ts';
import type { GitHostAccess, GitHostApi } from './host-api.ts';
import { plainApi } from './plain.ts';
import { remoteRefs } from './remote-refs.ts';

export type { GitAccount, GitHostAccess, GitRepository, GitStatus } from './host-api.ts';

const apis = { github: githubApi, gitlab: gitlabApi, gitea: giteaApi, plain: plainApi } as const;

export interface GitHost extends GitHostApi {
  /** By git itself, so that every provider answers them. */
  branches(repository: string): Promise<{ branches: string[]; defaultBranch: string }>;
}

/** A host of repositories, by the interface that it speaks. Throws `OutboundRefused` or `OutboundFailed`. */
export function gitHost(provider: GitProvider, access: GitHostAccess, rules: GitRules): GitHost {
  return {
    ...apis[provider](access, rules),
    async branches(repository) {
      const address = gitAddress(cloneUrl(access.host, repository), rules);
      const signIn = gitSignIn(provider, access.token);
      const { head, refs } = await remoteRefs(address, signIn, ['refs/heads/'], { timeoutMillis: 20_000, ...rules });
      if (refs.length === 0)
        throw new OutboundFailed(`${repository} of ${access.host} has no branch; push a commit first.`);
      return {
        branches: refs.map(({ name }) => branchOf(name)),
        defaultBranch: head === undefined ? '' : branchOf(head),
      };
    },
  };
}

function branchOf(ref: string): string {
  return ref.slice('refs/heads/'.length);
}
