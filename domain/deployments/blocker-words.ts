import type { ShownBlocker } from './states.ts';

/** Headings: what an open deployment waits for, and what a final one ended by. */
export const blockerWords: Record<ShownBlocker, { waits: string; failed: string }> = {
  approval: { waits: 'Waits for an approval', failed: 'It was not approved' },
  freeze: { waits: 'Waits for the end of a freeze', failed: 'A freeze kept it' },
  slot: { waits: 'Waits for other deployments of the project', failed: 'No slot was free' },
  'earlier-deployment': { waits: 'Waits for an earlier deployment of the service', failed: 'An earlier one kept it' },
  dependency: { waits: 'Waits for a service that it depends on', failed: 'A service that it depends on failed' },
  build: { waits: 'Waits for a build', failed: 'The build failed' },
  'cluster-lost': { waits: 'Waits for its cluster', failed: 'The cluster was lost' },
  image: { waits: 'The image is not there yet', failed: 'The image could not be had' },
  capacity: { waits: 'Waits for room on the cluster', failed: 'The cluster has no room' },
  configuration: { waits: 'Waits for the configuration', failed: 'The configuration is refused' },
  health: { waits: 'Not healthy yet', failed: 'It did not become healthy' },
  'release-command': { waits: 'Waits for the release command', failed: 'The release command failed' },
  temporal: { waits: 'Stuck', failed: 'Stuck' },
  worker: { waits: 'Waits for the worker', failed: 'The worker was down' },
};
