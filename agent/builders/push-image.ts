import { agentWay, pushLayout } from '../images/push/push-layout.ts';
import { RepositoryClient } from '../images/push/repository-client.ts';
import type { Client } from '../link/client.ts';
import type { BuildLog } from './build-log.ts';

/** Pushes the image of a build by its digest alone, which releases name: what images are called is up to people. */
export async function pushImage(
  layout: string,
  repository: string,
  { client: link, log, signal }: { client: Client; log: BuildLog; signal: AbortSignal },
): Promise<string> {
  const client = new RepositoryClient(agentWay(link, signal), repository, signal);
  const sent = new Map<string, { size: number; reused: boolean }>();
  const { digest } = await pushLayout(layout, client, undefined, ({ digest: blob, size, reused }) => {
    // Both variants of an image have the same layers: the second finds them there.
    sent.set(blob, { size, reused: reused && sent.get(blob)?.reused !== false });
  });
  const fresh = [...sent.values()].filter(({ reused }) => !reused).reduce((sum, { size }) => sum + size, 0);
  log.say(`${digest}, ${fresh === 0 ? 'nothing new in it' : `${megabytes(fresh)} of it new`}`);
  return digest;
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
