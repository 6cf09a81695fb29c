import { expect, test } from 'vitest';
import { dependencyFaults } from './dependency-faults.ts';

const services = new Map(
  Object.entries({ api: ['db'], db: [], web: ['api'], loop: ['loop2'], loop2: ['loop'] }).map(
    ([slug, dependsOn]) => [slug, { dependsOn }] as const,
  ),
);

test.each<[string, string[], number[]]>([
  ['web', ['api', 'db'], []],
  ['web', ['web'], [0]],
  ['web', ['db', 'nobody'], [1]],
  ['web', ['db', 'db'], [1]],
  ['db', ['api'], [0]],
  ['db', ['web'], [0]],
  ['db', ['loop'], []],
])('%s with %j is at fault at %j', (slug, dependsOn, faults) => {
  expect(dependencyFaults(slug, dependsOn, services).map(({ index }) => index)).toEqual(faults);
});
