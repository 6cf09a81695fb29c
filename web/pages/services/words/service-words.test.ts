import { expect, test } from 'vitest';
import type { ServiceOverview } from '../../environments/use-overview.ts';
import { healthWords, imageText, lastDeploymentWords, nowText, servedText } from './service-words.ts';

const live: ServiceOverview = {
  ...{ serviceId: 's', serviceName: 'Web', serviceSlug: 'web', health: 'healthy', activeReleaseId: 'r' },
  ...{ activeReleaseNumber: 2, activeReleaseDigest: '', activeReleaseCommit: '', replicasDesired: 1, replicasReady: 1 },
  ...{ suspended: false, domainCount: 0, addresses: [], stages: [], blocker: '', message: '', drift: false },
  ...{ driftCount: 0, drifting: [], suspendedBy: '', warnings: [], fault: '' },
};
const exited = 'process web: ended with exit code 1';
const failed: Partial<ServiceOverview> = {
  failedDeployment: { id: 'd', blocker: 'health', message: exited, releaseNumber: 3, finishedAt: '' },
  ...{ blocker: 'health', message: exited },
};
const warnings = [{ kind: 'https-loop', status: 301, path: '/', host: 'web.localhost', message: 'It redirects.' }];
const served = 'Nothing; it resumes with release 2';
const suspended: Partial<ServiceOverview> = { suspended: true, health: 'suspended' };
const lost: Partial<ServiceOverview> = {
  health: 'unknown',
  asOf: { at: '2026-11-22T12:00:00.000Z', inContact: false },
};
const starting: Partial<ServiceOverview> = {
  pendingDeployment: { id: 'e', kind: 'deploy', releaseNumber: 4, state: 'starting' },
};
const { activeReleaseId: _, activeReleaseNumber: __, ...never } = live;

test.each([
  ['healthy', live, 'Healthy', 'Release 2', '', 'Live'],
  ['healthy with an old failure', { ...live, ...failed }, 'Healthy', 'Release 2', '', 'Release 3 failed'],
  ['suspended', { ...live, ...suspended }, 'Suspended', served, '', 'Suspended'],
  [
    'suspended with an old failure',
    { ...live, ...suspended, ...failed },
    ...['Suspended', served, '', 'Release 3 failed'],
  ],
  ['out of contact', { ...live, ...lost }, 'Out of contact', 'Release 2', '', 'Live'],
  [
    'out of contact with an old failure',
    { ...live, ...lost, ...failed },
    ...['Out of contact', 'Release 2', '', 'Release 3 failed'],
  ],
  [
    'broken, as the agent says of what runs',
    { ...live, health: 'down', message: exited, fault: exited },
    ...['Down', 'Release 2', exited, 'Live'],
  ],
  [
    'broken, with an old failure',
    { ...live, ...failed, health: 'down', fault: 'process web: was killed' },
    ...['Down', 'Release 2', 'process web: was killed', 'Release 3 failed'],
  ],
  ['live for nobody', { ...live, warnings }, 'Healthy', 'Release 2', '', 'Live, with a warning'],
  [
    'suspended, of which somebody was warned',
    { ...live, ...suspended, warnings },
    'Suspended',
    served,
    '',
    'Suspended',
  ],
  [
    'broken, while a deployment is under way',
    { ...live, ...failed, ...starting, health: 'down', message: 'It waits for its checks.', fault: exited },
    ...['Down', 'Release 2', 'It waits for its checks.', 'Release 4: starting'],
  ],
  ['never deployed', { ...never, health: 'none' }, 'Not deployed', 'None yet', '', undefined],
  ['of a newer control plane', { ...live, health: 'frozen' }, 'frozen', 'Release 2', '', 'Live'],
] as const)('%s', (_name, given, health, serves, now, last) => {
  const of = given as ServiceOverview;
  expect([healthWords(of).word, servedText(of), nowText(of), lastDeploymentWords(of)?.word]).toEqual([
    ...[health, serves, now, last],
  ]);
});

test.each([
  [{ kind: 'image', imageRepository: 'ghcr.io/team/web:1.4' }, 'ghcr.io/team/web:1.4'],
  [{ kind: 'image', imageRepository: ':latest' }, 'default/bakery/web:latest'],
  [{ kind: 'image', imageRepository: '' }, ''],
  [{ kind: 'upload' }, 'Built from uploaded folders'],
  [
    { kind: 'git', gitUrl: 'https://example.com/app.git', context: 'apps/web' },
    'Built from https://example.com/app.git, folder apps/web',
  ],
  [{ kind: 'git', gitUrl: '' }, ''],
] as const)('the image of %j', (source, text) => {
  expect(imageText({ source }, { organization: 'default', project: 'bakery', service: 'web' })).toBe(text);
});
