import { expect, test } from 'vitest';
import { capabilitiesOf, type MachineFacts, notesOf } from './capabilities.ts';

const facts: MachineFacts = {
  driver: 'process',
  holds: { isolation: { holds: false, why: 'it is the process driver.' }, memoryLimit: { holds: true } },
  ingress: { port: 8089, addresses: ['192.0.2.7'] },
};
const trueOnes = (of: MachineFacts | undefined) =>
  Object.entries(capabilitiesOf(of)).flatMap(([name, value]) => (value === true ? [name] : []));

test('a cluster whose agent was never heard of can do nothing', () => {
  expect(trueOnes(undefined)).toEqual([]);
  expect(notesOf(undefined)).toEqual([]);
});

test('what a driver with an ingress can do, and what it has for it', () => {
  expect(trueOnes(facts)).toEqual(['processArgs', 'ingressController', 'trafficMetrics']);
  expect(trueOnes({ ...facts, driver: 'docker', ingress: undefined })).toEqual(['processArgs']);
  expect(trueOnes({ ...facts, driver: 'kubernetes' })).toEqual([]);
  expect(capabilitiesOf(facts).ingressIPs).toEqual(['192.0.2.7']);
});

test('images are built where an agent can build them; elsewhere a note says why not', () => {
  const builds = { holds: true };
  expect(capabilitiesOf({ ...facts, holds: { builds } }).autoBuilds).toBe(true);
  expect(capabilitiesOf({ ...facts, driver: 'docker', holds: { builds } }).autoBuilds).toBe(true);
  expect(capabilitiesOf({ ...facts, driver: 'kubernetes', holds: { builds } }).autoBuilds).toBe(false);
  const without = { ...facts, holds: { builds: { holds: false, why: 'Builds need the program unshare.' } } };
  expect(capabilitiesOf(without).autoBuilds).toBe(false);
  expect(notesOf(without)).toEqual(['No images are built here: Builds need the program unshare.']);
});

test('a note says that builds have no limits, and why', () => {
  const buildLimits = { holds: false, why: 'The agent cannot use /var/lib/docker (EACCES).' };
  expect(notesOf({ ...facts, holds: { builds: { holds: true }, buildLimits } })).toEqual([
    'Builds may use all memory, processes and disk of the machine: The agent cannot use /var/lib/docker (EACCES).',
  ]);
});

test('what does not hold is said with its reason', () => {
  expect(notesOf(facts)).toEqual([
    'Nothing separates what runs here from the machine and from each other: it is the process driver. Put only what you trust on it.',
  ]);
});
