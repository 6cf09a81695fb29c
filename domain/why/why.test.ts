import { expect, test } from 'vitest';
import {
  blockerWords,
  type DeploymentBlocker,
  deploymentBlockers,
  deploymentStates,
  finalDeploymentStates,
} from '../deployments/states.ts';
import { whyOf, whyTopics, worstFirst } from './why.ts';
import type { WhyFacts } from './why-facts.ts';

const at = '2026-11-23T09:00:00.000Z';
const facts = (more: Partial<WhyFacts>): WhyFacts => ({
  id: 'd1',
  projectName: 'Shop',
  environmentName: 'Production',
  serviceName: 'web',
  releaseNumber: 7,
  kind: 'deploy',
  state: 'pending',
  blocker: '',
  message: '',
  createdAt: '2026-11-23T08:00:00.000Z',
  blockedAt: at,
  stages: [],
  requestedBy: 'Ann',
  ahead: [],
  slots: 2,
  attempts: 1,
  liveRelease: 6,
  ...more,
});
const line = (topic: string, more: Partial<WhyFacts>) => whyOf(facts(more)).find((one) => one.topic === topic);
const text = (topic: string, more: Partial<WhyFacts>) => line(topic, more)?.text ?? '';

test.each(deploymentBlockers)('an open deployment that waits for %s says what, since when, who and how', (blocker) => {
  const lines = whyOf(facts({ blocker, state: blocker === 'approval' ? 'pending' : 'starting' }));
  expect(lines.map(({ topic }) => topic)).toEqual([...whyTopics]);
  const [what, since, , who, how] = lines;
  expect(what?.text.toLowerCase()).toContain(blockerWords[blocker].waits.toLowerCase());
  expect(since).toEqual({ topic: 'since', text: 'Waits since', at });
  expect(who?.text.length).toBeGreaterThan(20);
  // A command or a page.
  expect(how?.text).toMatch(/`(\.\/)?ballast |console/);
  expect(lines.map((one) => one.text).join()).not.toMatch(/undefined|\bID\b(?=.*cancel d1)|\.\./);
});

test('no two blockers are told in the same words', () => {
  const told = (blocker: DeploymentBlocker) => `${text('who', { blocker })} ${text('how', { blocker })}`;
  expect(new Set(deploymentBlockers.map(told)).size).toBe(deploymentBlockers.length);
});

test.each(deploymentBlockers)('one that failed by %s says so, and who can do something', (blocker) => {
  const more = { blocker, state: 'failed', message: 'It is so.', finishedAt: at } as const;
  expect(text('what', more)).toBe(
    `Release 7 of web in Production: it failed. ${blockerWords[blocker].failed}. It is so.`,
  );
  expect(line('since', more)).toEqual({ topic: 'since', text: 'Ended', at });
  expect(text('who', more)).not.toBe('');
  expect(text('how', more)).toContain('./ballast replay d1');
});

test.each(deploymentStates)('%s is told in at most five lines without a blocker, too', (state) => {
  const final = (finalDeploymentStates as readonly string[]).includes(state);
  const { blockedAt: _, ...rest } = facts({ state, ...(final ? { finishedAt: at } : {}) });
  const lines = whyOf(rest);
  expect(lines.length).toBeGreaterThanOrEqual(4);
  expect(lines.length).toBeLessThanOrEqual(5);
  expect(new Set(lines.map(({ topic }) => topic)).size).toBe(lines.length);
  for (const one of lines) expect(one.text).not.toMatch(/undefined|\.\./);
});

test('no two states are told in the same words', () => {
  expect(new Set(deploymentStates.map((state) => text('what', { state }))).size).toBe(deploymentStates.length);
});

test('the deciders, the decision and the approval are named', () => {
  const approval = { id: 'a1', deciders: ['Ben', 'Cleo', 'Dan', 'Eve'], decidedBy: '', expiresAt: at };
  expect(text('who', { blocker: 'approval', approval })).toBe('Ben, Cleo, Dan, 1 more can decide; requested by Ann.');
  expect(text('how', { blocker: 'approval', approval })).toContain('./ballast approve a1');
  const decided = { ...approval, decidedBy: 'Ben', decidedAt: at };
  expect(text('who', { state: 'rejected', approval: decided })).toContain('Rejected by Ben');
});

test('the deployments that hold its place or the slots are named, with the command that cancels them', () => {
  const ahead = [{ id: 'd0', serviceName: 'api', releaseNumber: 3, state: 'checking' as const }];
  expect(text('who', { blocker: 'slot', ahead, slots: 1 })).toContain('held by release 3 of api (checking)');
  expect(text('how', { blocker: 'earlier-deployment', ahead })).toBe('`./ballast cancel d0` cancels it.');
});

test('what was tried: the stage, the instance with its last line, how often, and what serves meanwhile', () => {
  const failure = {
    process: 'web',
    instance: 'web-1',
    end: 'ended with exit code 1',
    lines: ['boot', 'no DB_URL', ''],
  };
  const stages = [{ stage: 'start' as const, startedAt: at }];
  expect(text('tried', { state: 'failed', stages, failure, attempts: 3 })).toBe(
    'It came to: Start. web-1 (web) ended with exit code 1: no DB_URL. Deployed 3 times there. Release 6 serves meanwhile.',
  );
  const { liveRelease: _, ...rest } = facts({});
  expect(whyOf(rest)[2]?.text).toBe('Requested by Ann; it has not begun. Nothing serves there yet.');
});

test('one that is being cancelled says so, whatever it waits for', () => {
  expect(text('what', { state: 'starting', blocker: 'health', cancelRequestedAt: at })).toContain('is being cancelled');
});

test('the stuck and the failed come first, then what waits for a person, then what goes on by itself', () => {
  const all = [
    { state: 'starting', blocker: '', createdAt: '5' },
    { state: 'pending', blocker: 'slot', createdAt: '4' },
    { state: 'pending', blocker: 'approval', createdAt: '3' },
    { state: 'checking', blocker: 'cluster-lost', createdAt: '2' },
    { state: 'failed', blocker: 'health', createdAt: '1' },
    { state: 'pending', blocker: 'temporal', createdAt: '0' },
  ] as const;
  expect(worstFirst([...all]).map(({ createdAt }) => createdAt)).toEqual(['0', '1', '2', '3', '4', '5']);
});
