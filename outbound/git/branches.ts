import { OutboundFailed } from '../failures.ts';
import type { GitAddress } from './address.ts';
import type { GitRules } from './ask.ts';
import { type GitCredential, remoteRefs } from './remote-refs.ts';

export interface GitBranches {
  branches: string[];
  /** Empty if the host does not say it. */
  defaultBranch: string;
}

const prefix = 'refs/heads/';

/** The branches of a repository, and the one that a clone checks out. `name` stands in the message if there is none. */
export async function branchesOf(
  address: GitAddress,
  credential: GitCredential | undefined,
  rules: GitRules,
  name = 'The repository',
): Promise<GitBranches> {
  const { head = '', refs } = await remoteRefs(address, credential, [prefix], { timeoutMillis: 20_000, ...rules });
  if (refs.length === 0) throw new OutboundFailed(`${name} has no branch; push a commit first.`);
  return {
    branches: refs.map((ref) => ref.name.slice(prefix.length)),
    defaultBranch: head.slice(prefix.length),
  };
}
