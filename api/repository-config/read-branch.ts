import { z } from 'zod';
import { connectionAccess } from '../../db/git-connections/connections.ts';
import { gitUrlFault, repositoryFault } from '../../domain/git/address.ts';
import { cloneUrl } from '../../domain/git/clone-url.ts';
import { gitAddress } from '../../outbound/git/address.ts';
import { type CommitTree, withCommitTree } from '../../outbound/git/commit/commit-tree.ts';
import { type GitCredential, remoteRefs } from '../../outbound/git/remote-refs.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { invalidFields } from '../engine/input/input.ts';
import type { Given } from '../engine/operation.ts';
import { theGitConnection, toldBy } from '../git-connections/git-connection.ts';
import { usedForOf } from '../source-credentials/projects-field.ts';

/** Beneath the deadline of a request. */
const mostMillis = 20_000;

/** A branch of a repository, without a service. */
export const branchBody = z.strictObject({
  branch: z.string().min(1).max(500),
  gitUrl: z.string().max(2_000).optional().describe('An https address that everybody may read.'),
  gitConnectionId: z.guid().toLowerCase().optional(),
  repository: z.string().max(500).optional().describe('Its full name, `team/app`, with `gitConnectionId`.'),
  context: z.string().max(1_000).default('').describe('A folder of the repository.'),
});

type Body = z.output<typeof branchBody>;
type Asked = Pick<
  Given<OrganizationCaller, unknown, unknown, Body>,
  'caller' | 'body' | 'database' | 'server' | 'signal'
>;

export interface ReadBranch<T> {
  commit: string;
  /** As people read it. */
  repository: string;
  told: T;
}

/** Reads the newest commit of a branch. Refuses at the field with a sentence where that is not possible. */
export async function readBranch<T>(
  { caller, body, database, server, signal }: Asked,
  work: (tree: CommitTree) => Promise<T>,
): Promise<ReadBranch<T>> {
  refuseUnfit(body);
  const { branch, gitConnectionId, gitUrl = '', repository = '' } = body;
  const rules = { ...server.outbound, timeoutMillis: mostMillis };
  let url = gitUrl;
  let credential: GitCredential | undefined;
  if (gitConnectionId !== undefined) {
    const { id, host } = await caller.see(theGitConnection, gitConnectionId);
    credential = await connectionAccess(database.kysely, server.keyring, caller.organization.id, {
      ...{ id, usedFor: usedForOf(caller) },
    });
    url = cloneUrl(host, repository);
  }
  const field = gitConnectionId === undefined ? 'gitUrl' : 'repository';
  const ref = `refs/heads/${branch}`;
  const found = await toldBy(async () => {
    const address = gitAddress(url, rules);
    const { refs } = await remoteRefs(address, credential, ['refs/heads/'], rules);
    return { address, refs };
  });
  if ('error' in found) throw refused(field, `cannot be read: ${found.error}`);
  const { address, refs } = found.told;
  const commit = refs.find(({ name }) => name === ref)?.commit;
  if (refs.length === 0) throw refused(field, 'is an empty repository; push a commit first');
  if (commit === undefined) {
    const names = refs.slice(0, 5).map(({ name }) => name.slice('refs/heads/'.length));
    throw refused(
      'branch',
      `is no branch of the repository; there are ${names.join(', ')}${refs.length > 5 ? ' and others' : ''}`,
    );
  }
  const read = await toldBy(() => withCommitTree(address, commit, credential, rules, signal, work));
  if ('error' in read) throw refused(field, `cannot be read: ${read.error}`);
  return { commit, repository: repository === '' ? address.url : repository, told: read.told };
}

function refuseUnfit({ gitUrl, gitConnectionId, repository }: Body): void {
  if (gitConnectionId === undefined) {
    const fault = gitUrl === undefined ? 'must be there, or gitConnectionId with repository' : gitUrlFault(gitUrl);
    if (fault !== undefined) throw refused('gitUrl', fault);
    if (repository !== undefined) throw refused('repository', 'is of a Git connection: give gitConnectionId, too');
    return;
  }
  if (gitUrl !== undefined) throw refused('gitUrl', 'must be left out: the repository of the Git connection is read');
  const fault = repository === undefined ? 'must be there with gitConnectionId' : repositoryFault(repository);
  if (fault !== undefined) throw refused('repository', fault);
}

function refused(field: string, message: string) {
  return invalidFields([{ location: `body.${field}`, message }]);
}
