import { expect, test } from 'vitest';
import type { RolloutPhase } from '../../domain/deployments/states.ts';
import { begin, hear, nextStep, roll } from './state.ts';

const input = {
  deploymentId: 'd',
  projectId: 'p',
  organizationId: 'o',
  digest: 'sha256:1',
  state: 'preparing' as const,
  cancelRequested: false,
  expiresAt: null,
};
const report = (phase: RolloutPhase, more: object = {}) => ({ id: 'd', digest: 'sha256:1', phase, at: {}, ...more });
const told = (id: string, phase: RolloutPhase, more: object = {}) => ({
  message: 'rollout' as const,
  told: { id, body: report(phase, more) },
});
const cancel = { message: 'cancel' as const, told: { id: 'c', body: {} } };

test('a report leads to its state, and one that comes late or twice changes nothing', () => {
  const checking = hear(begin(input), told('1', 'checking'));
  expect(nextStep(checking)).toMatchObject({ do: 'show', state: 'checking' });
  expect(hear(checking, told('1', 'done'))).toEqual(checking);
  expect(hear(checking, told('2', 'starting')).told?.phase).toBe('checking');
});

test('a report of another deployment is none of this one; other content fails it', () => {
  const actor = begin(input);
  expect(roll(actor, report('done', { id: 'e' }))).toEqual(actor);
  expect(nextStep(roll(actor, report('done', { digest: 'sha256:2' })))).toMatchObject({
    do: 'finish',
    state: 'failed',
  });
});

test('cancelled before the switch it ends as cancelled, also when the agent has returned by itself', () => {
  const asked = hear(begin(input), cancel);
  expect(nextStep(asked)).toMatchObject({ do: 'finish', state: 'cancelled' });
  expect(nextStep(hear(asked, told('1', 'returned')))).toMatchObject({ do: 'finish', state: 'cancelled' });
});

test('once requests have switched it is too late to cancel', () => {
  const draining = hear(hear(begin(input), told('1', 'draining')), cancel);
  expect(nextStep(draining)).toMatchObject({ do: 'show', state: 'draining' });
  expect(nextStep(hear(draining, told('2', 'done')))).toMatchObject({ do: 'finish', state: 'live' });
});

test('a final state is never left', () => {
  expect(nextStep({ ...hear(begin(input), told('1', 'done')), state: 'superseded' })).toEqual({ do: 'wait' });
});
