import type { EnvironmentAnswer } from '../../environments/use-environment.ts';
import type { ServiceOverview } from '../../environments/use-overview.ts';

/** An environment as a column: its services by id, once they are loaded. */
export interface PlacedColumn {
  environment: EnvironmentAnswer;
  services: ReadonlyMap<string, ServiceOverview> | undefined;
}

/** The next column that has the service: there its image is promoted to. */
export function nextWith(serviceId: string, behind: readonly PlacedColumn[]): PlacedColumn | undefined {
  return behind.find(({ services }) => isThere(services?.get(serviceId)));
}

/** Neither staged nor held for the first time: it has settings there with which an image can run. */
function isThere(service: ServiceOverview | undefined): boolean {
  if (service === undefined || service.stagedIn !== undefined) return false;
  return service.activeReleaseId !== undefined || service.blocker !== 'approval';
}

/** The beginning of a commit, or of a digest, by which people tell them apart. */
export function shortVersion({ activeReleaseCommit, activeReleaseDigest }: Version): string {
  if (activeReleaseCommit !== '') return activeReleaseCommit.slice(0, 7);
  return activeReleaseDigest.replace(/^sha256:/, '').slice(0, 12);
}

type Version = Pick<ServiceOverview, 'activeReleaseCommit' | 'activeReleaseDigest'>;
