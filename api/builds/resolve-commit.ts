import type { CommitSource } from '../../db/builds/request-build.ts';
import { connectionAccess } from '../../db/git-connections/connection-access.ts';
import { cloneUrl } from '../../domain/git/clone-url.ts';
import { Problem } from '../../domain/problems.ts';
import type { ServiceSource } from '../../domain/services/settings.ts';
import { OutboundFailed, OutboundRefused } from '../../outbound/failures.ts';
import { gitAddress } from '../../outbound/git/address.ts';
import { type RemoteRefs, remoteRefs } from '../../outbound/git/remote-refs.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';

const timeoutMillis = 15_000;

interface Asked {
  organizationId: string;
  projectId: string;
  /** The service's name, for people. */
  name: string;
  source: ServiceSource;
  /** Without one it is the branch that a clone checks out. */
  branch: string | undefined;
}

/** The commit at the top of a branch, as the repository says now. Asks the host, so that it belongs before a transaction. */
export async function resolveCommit(server: ServerParts, asked: Asked): Promise<CommitSource> {
  const { organizationId, projectId, name, source } = asked;
  const { gitConnectionId: connectionId } = source;
  const access =
    connectionId === undefined
      ? undefined
      : await connectionAccess(server.database.kysely, server.keyring, organizationId, {
          ...{ id: connectionId, usedFor: [projectId] },
        });
  if (connectionId !== undefined && access === undefined) {
    throw unresolved(
      name,
      'the Git connection of its source was deleted, or is not for this project; choose another one, or ask an administrator of the organization to add the project to it',
    );
  }
  const url = access === undefined ? source.gitUrl : cloneUrl(access.host, source.repository);
  const { refs, head } = await listed(server, name, url, access, asked.branch);
  const ref = asked.branch === undefined ? head : `refs/heads/${asked.branch}`;
  if (ref === undefined) throw unresolved(name, 'the repository is empty; push a commit first');
  const found = refs.find((one) => one.name === ref);
  if (found === undefined) {
    const branch = ref.replace(/^refs\/heads\//, '');
    throw unresolved(name, `it has no branch "${branch}"; push it, or change the branch of the environment`);
  }
  return {
    ...{ kind: 'git', url, ref, commit: found.commit, commitMessage: '' },
    repository: source.repository || repositoryOf(url),
    ...(connectionId === undefined ? {} : { connectionId }),
  };
}

async function listed(
  { outbound }: ServerParts,
  name: string,
  url: string,
  credential: { username: string; password: string } | undefined,
  branch: string | undefined,
): Promise<RemoteRefs> {
  try {
    const prefix = branch === undefined ? 'refs/heads/' : `refs/heads/${branch}`;
    return await remoteRefs(gitAddress(url, outbound), credential, [prefix], { ...outbound, timeoutMillis });
  } catch (error) {
    if (!(error instanceof OutboundFailed) && !(error instanceof OutboundRefused)) throw error;
    throw unresolved(name, error.message.replace(/\.$/, ''));
  }
}

/** `team/app` of https://git.example.com/team/app.git. */
export function repositoryOf(url: string): string {
  return new URL(url).pathname.replace(/^\/+|\/+$|(?:\.git)?\/*$/g, '');
}

function unresolved(name: string, why: string): Problem {
  return new Problem('commit-not-resolved', `The commit to build of "${name}" was not found: ${why}.`);
}
