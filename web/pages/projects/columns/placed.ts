import type { EnvironmentAnswer } from '../../environments/use-environment.ts';
import { isAdded, type ServiceOverview } from '../../environments/use-overview.ts';

/** An environment as a column: its services by id, once they are loaded. */
export interface PlacedColumn {
  environment: EnvironmentAnswer;
  services: ReadonlyMap<string, ServiceOverview> | undefined;
}

/** The next column that has the service: there its image is promoted to. */
export function nextWith(serviceId: string, behind: readonly PlacedColumn[]): PlacedColumn | undefined {
  return behind.find(({ services }) => {
    const there = services?.get(serviceId);
    // With what is only staged there, no image can run.
    return there !== undefined && there.stagedIn === undefined && isAdded(there);
  });
}

/** The beginning of a commit, or of a digest, by which people tell them apart. */
export function shortVersion({ activeReleaseCommit, activeReleaseDigest }: Version): string {
  if (activeReleaseCommit !== '') return activeReleaseCommit.slice(0, 7);
  return activeReleaseDigest.replace(/^sha256:/, '').slice(0, 12);
}

type Version = Pick<ServiceOverview, 'activeReleaseCommit' | 'activeReleaseDigest'>;
