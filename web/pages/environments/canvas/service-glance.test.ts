import { expect, test } from 'vitest';
import type { ServiceOverview } from '../use-overview.ts';
import { glanceOf } from './service-glance.ts';

const live: ServiceOverview = {
  ...{ serviceId: 's', serviceName: 'Web', serviceSlug: 'web', health: 'healthy', activeReleaseId: 'r' },
  ...{ activeReleaseNumber: 4, activeReleaseDigest: '', activeReleaseCommit: '', replicasDesired: 1, replicasReady: 1 },
  ...{ suspended: false, domainCount: 0, addresses: [], stages: [], blocker: '', message: '', drift: false },
  ...{ driftCount: 0, drifting: [], suspendedBy: '', warnings: [], fault: '' },
};
const pending = (state: 'pending' | 'starting', blocker = ''): Partial<ServiceOverview> => ({
  pendingDeployment: { id: 'd', kind: 'deploy', releaseNumber: 5, state },
  blocker,
});
const warnings = [{ kind: 'https-loop', status: 301, path: '/', host: 'web.localhost', message: 'It redirects.' }];
const failedDeployment = { id: 'd', blocker: 'health', message: '', releaseNumber: 5, finishedAt: '' };
const { activeReleaseId: _, activeReleaseNumber: __, ...never } = live;

test.each([
  ['live', live, 'Release 4 is live'],
  ['held', { ...live, ...pending('pending', 'approval') }, 'Release 5 held for approval'],
  ['waiting', { ...live, ...pending('pending', 'slot') }, 'Release 5: waits for other deployments of the project'],
  ['waiting', { ...live, ...pending('pending') }, 'Release 5: waits for its turn'],
  ['waiting', { ...live, ...pending('pending', 'of-tomorrow') }, 'Release 5: waits: of-tomorrow'],
  ['rolling', { ...live, ...pending('starting') }, 'Release 5: starting'],
  ['waiting', { ...live, ...pending('starting', 'worker') }, 'Release 5: waits for the worker'],
  ['rolling', { ...live, ...pending('starting', 'health') }, 'Release 5: starting'],
  ['failed', { ...live, failedDeployment }, 'Release 5 failed'],
  ['rolling', { ...live, failedDeployment, ...pending('starting') }, 'Release 5: starting'],
  ['suspended', { ...live, suspended: true }, 'Suspended'],
  ['drift', { ...live, drift: true }, 'Not live'],
  ['drift', { ...live, drift: true, driftCount: 3 }, '3 changes not deployed'],
  ['warned', { ...live, warnings, drift: true }, 'Release 4 is live, with a warning'],
  ['suspended', { ...live, warnings, suspended: true }, 'Suspended'],
  ['none', never, 'Nothing deployed yet'],
] as const)('%s: %#', (kind, service, word) => {
  expect(glanceOf(service as ServiceOverview)).toMatchObject({ kind, word });
});
