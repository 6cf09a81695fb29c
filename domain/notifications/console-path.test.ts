import { expect, test } from 'vitest';
import { consolePath } from './console-path.ts';

test.each([
  [{ type: 'approval', approvalId: 'a', projectId: 'p' }, '/acme/approvals/a'],
  [{ type: 'deployment', deploymentId: 'd', serviceId: 's' }, '/acme/deployments/d'],
  [{ type: 'build', buildId: 'b', serviceId: 's' }, '/acme/builds/b'],
  [{ type: 'cluster', clusterId: 'c' }, '/acme/clusters/c'],
  [{ type: 'cluster', clusterId: 'c', tab: 'agent' }, '/acme/clusters/c/agent'],
  [{ type: 'volume_backup', volumeBackupId: 'v' }, '/acme/workflows/v'],
  [{ type: 'cluster' }, '/acme/notifications'],
] as const)('%j leads to %s', (link, path) => {
  expect(consolePath('acme', link)).toBe(path);
});

test('a link of a type that another version knows leads to the inbox', () => {
  expect(consolePath('acme', { type: 'moon' } as never)).toBe('/acme/notifications');
});
