import { hostUrl } from '../../domain/git/address.ts';
import type { GitRules } from './ask.ts';
import { askGitHost } from './ask.ts';
import type { GitHostAccess, GitHostApi } from './host-api.ts';

/** A host of which nothing is known but that it speaks git: repositories are named, not listed, and no status is set. */
export function plainApi({ host }: GitHostAccess, rules: GitRules): GitHostApi {
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
