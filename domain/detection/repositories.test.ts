import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { detect, withoutDockerfiles } from './detect.ts';
import type { Expected } from './repositories/expectation.ts';
import { expected, expectedOfForty } from './repositories/expected.ts';
import { readRepositories, treeOf } from './repositories/repositories.ts';

const folder = new URL('./repositories/facts/', import.meta.url);
const repositories = readdirSync(folder)
  .filter((file) => file.endsWith('.txt'))
  .flatMap((file) => readRepositories(readFileSync(new URL(file, folder), 'utf8')));

const nameOf = (of: string): string => of.split(/[:!]/)[0] ?? '';

test('at least a hundred and sixty public repositories have an expectation each, and every expectation its repository', () => {
  const names = repositories.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThanOrEqual(160);
  expect(names.toSorted()).toEqual(
    [...new Set([...expected, ...expectedOfForty].map(({ of }) => nameOf(of)))].toSorted(),
  );
  for (const { commit } of repositories) expect(commit).toMatch(/^[0-9a-f]{12}$/);
});

const byName = new Map(repositories.map((repository) => [repository.name, repository]));

/** Differences from the expectation, a sentence each. */
function differences(expectation: Expected): string[] {
  const [, name = '', context = ''] = /^([^:!]+):?([^!]*)/.exec(expectation.of) ?? [];
  const repository = byName.get(name);
  if (repository === undefined) return ['is unknown'];
  const tree = treeOf(repository);
  const { detected, message } = detect(expectation.of.endsWith('!') ? withoutDockerfiles(tree) : tree, context);
  if (expectation.refused !== undefined) {
    return detected.buildable || !expectation.refused.test(message)
      ? [`should be refused, and says: ${message || detected.startCommand || detected.outputDir}`]
      : [];
  }
  if (!detected.buildable) return [`is refused: ${message}`];
  const pinned = detected.packageManagerPinned === '' ? '' : `@${detected.packageManagerPinned}`;
  const stack = `${detected.provider} ${detected.framework || '-'} ${`${detected.packageManager}${pinned}` || '-'}`;
  const found: [string, unknown, unknown][] = [
    ['stack', stack, expectation.stack],
    ['build', detected.buildCommand, expectation.build],
    ['start', detected.startCommand, expectation.start],
    ['output', detected.outputDir, expectation.out],
    ['port', detected.port, expectation.port],
    ['node', detected.nodeVersion, expectation.node],
    ['static', detected.static, expectation.out !== undefined],
  ];
  return found
    .filter(([, is, wanted]) => wanted !== undefined && is !== wanted)
    .map(([what, is, wanted]) => `${what} is ${is}, should be ${wanted}`);
}

/** Names of those that are not as they should be in every folder, and how many are; said in the log. */
function scoreOf(all: readonly Expected[]): { wrong: string[]; right: number; of: number; folders: number } {
  const known = new Set(all.map(({ of }) => nameOf(of)));
  const wrong = all
    .map((one) => ({ of: one.of, name: nameOf(one.of), why: differences(one) }))
    .filter(({ why }) => why.length > 0);
  const names = [...new Set(wrong.map(({ name }) => name))];
  const score = { wrong: names, right: known.size - names.length, of: known.size, folders: all.length - wrong.length };
  const said = `${score.right} of ${known.size} repositories, ${score.folders} of ${all.length} folders are right.`;
  console.info([said, ...wrong.map(({ of, why }) => `${of} ${why.join('; ')}`)].join('\n'));
  return score;
}

const described = readFileSync(new URL('../../docs/builds.md', import.meta.url), 'utf8');

/** Those that the document explains. */
function listedOf(all: readonly Expected[]): string[] {
  const names = [...new Set(all.map(({ of }) => nameOf(of)))];
  return names.filter((name) => described.includes(`\n| ${name}`)).toSorted();
}

test('at least ninety of a hundred repositories are detected as a person would have them', () => {
  const { wrong, right, of, folders } = scoreOf(expected);
  expect(right / of).toBeGreaterThanOrEqual(0.9);
  // No other one goes wrong unnoticed, and the document tells the truth.
  expect(wrong.toSorted()).toEqual(listedOf(expected));
  expect(described.replaceAll('\n', ' ')).toContain(
    `${right} of them are right in every folder that was asked for, ${folders} of ${expected.length} folders in all.`,
  );
});

test('at least 34 of forty more are detected as a person would have them', () => {
  const { wrong, right, of, folders } = scoreOf(expectedOfForty);
  expect(of).toBe(40);
  expect(right).toBeGreaterThanOrEqual(34);
  expect(wrong.toSorted()).toEqual(listedOf(expectedOfForty));
  expect(described.replaceAll('\n', ' ')).toContain(
    `Of forty more, ${right} are right in every folder that was asked for, ${folders} of ${expectedOfForty.length} folders in all.`,
  );
});
