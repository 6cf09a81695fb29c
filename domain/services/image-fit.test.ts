import { expect, test } from 'vitest';
import { fittingPlatforms, hostBound, imageMisfit, type Machine, platformOf } from './image-fit.ts';

const machine: Machine = { cluster: 'berlin', driver: 'process', os: 'linux', arch: 'x64' };
const docker = { ...machine, driver: 'docker' };
const plain = platformOf({ os: 'linux', architecture: 'amd64' });
const bound = platformOf({ os: 'linux', architecture: 'amd64' }, { [hostBound]: 'linux/amd64 glibc2.36' });
const arm = platformOf({ os: 'linux', architecture: 'arm64' });

test('an image without a base system runs on processes alone, another one in containers alone', () => {
  expect(imageMisfit([bound], machine)).toBeUndefined();
  expect(imageMisfit([plain], docker)).toBeUndefined();
  expect(imageMisfit([bound], docker)).toMatch(/^it carries no base system.*"berlin" runs containers \(docker\)$/);
  expect(imageMisfit([plain], machine)).toMatch(/^it has a base system.*"berlin" runs processes without containers/);
});

test('another architecture or system is named with that of the cluster', () => {
  expect(imageMisfit([arm], docker)).toBe('it is made for linux/arm64, and the cluster "berlin" runs linux/amd64');
  expect(imageMisfit([platformOf({ os: 'windows', architecture: 'amd64' })], docker)).toContain('windows/amd64');
  const elsewhere = platformOf({}, { [hostBound]: 'linux/arm64' });
  expect(imageMisfit([elsewhere], machine)).toContain('linux/arm64');
  expect(imageMisfit([arm], { ...docker, arch: 'arm64' })).toBeUndefined();
});

test('of a list one variant has to fit; what is not known is left to the agent', () => {
  expect(imageMisfit([arm, plain, bound], machine)).toBeUndefined();
  expect(fittingPlatforms([arm, plain, bound], machine)).toEqual([bound]);
  expect(fittingPlatforms([arm, plain, bound], docker)).toEqual([plain]);
  expect(imageMisfit([], machine)).toBeUndefined();
  expect(imageMisfit([platformOf({})], docker)).toBeUndefined();
});
