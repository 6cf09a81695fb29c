import { type BuildToTell, buildToTell, noteMissingPermission } from '../db/git-connections/pushes.ts';
import type { BuildState } from '../domain/builds/states.ts';
import { OutboundFailed, OutboundRefused } from '../outbound/failures.ts';
import { type GitStatus, gitHost } from '../outbound/git/host.ts';
import type { ActivityParts } from './index.ts';

const timeoutMillis = 10_000;
export const statusPermission = 'commit statuses';

/** Tells the host of a commit how its build stands. A host that does not take it changes nothing of the build. */
export async function tellHost(
  { database, keyring, outbound, publicUrl }: ActivityParts,
  { organizationId, buildId, state }: { organizationId: string; buildId: string; state: BuildState },
): Promise<{ told: boolean; why?: string }> {
  const build = await buildToTell(database.kysely, keyring, organizationId, buildId);
  if (build === undefined) return { told: false };
  const { access, repository, commit } = build;
  try {
    const host = gitHost(access.provider, access, { ...outbound, timeoutMillis });
    await host.setStatus(repository, commit, statusOf(build, state, publicUrl));
    return { told: true };
  } catch (error) {
    if (!(error instanceof OutboundFailed || error instanceof OutboundRefused)) throw error;
    const { message } = error;
    // That it may not is the connection's to say, once: each of its builds would say it otherwise.
    if (message.includes('(403)')) await noteMissingPermission(database, organizationId, access.id, statusPermission);
    else if (/answered 5\d\d|cannot be reached|did not answer/.test(message)) throw error;
    return { told: false, why: message };
  }
}

function statusOf(build: BuildToTell, state: BuildState, publicUrl: string): GitStatus {
  const { project, environment, service, organization, buildId, number } = build;
  const words: Record<BuildState, [GitStatus['state'], string]> = {
    queued: ['pending', `Build #${number} is queued`],
    running: ['pending', `Build #${number} is running`],
    succeeded: ['success', `Build #${number} succeeded`],
    failed: ['failure', `Build #${number} failed`],
    superseded: ['error', `A newer commit took the place of build #${number}`],
    cancelled: ['error', `Build #${number} was cancelled`],
  };
  const [is, description] = words[state];
  return {
    state: is,
    description,
    targetUrl: new URL(`/${organization}/builds/${buildId}`, publicUrl).href,
    context: `ballast/${project}/${environment}/${service}`,
  };
}
