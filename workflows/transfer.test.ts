import { expect, test } from 'vitest';
import { commandStates } from '../domain/clusters/clusters.ts';
import { begin, hear, next } from './commanded.ts';
import { endOf, type TransferActor } from './transfer.ts';

const input = { cancelRequested: false };

test.each(commandStates.filter((state) => state !== 'queued' && state !== 'delivered'))(
  'a command that is %s ends it with a sentence that says what to do, or as succeeded',
  (state) => {
    const { state: end, message } = endOf('volume-backup', { state, message: null });
    expect(end).toBe(state === 'done' ? 'succeeded' : state === 'cancelled' ? 'cancelled' : 'failed');
    expect(message).toMatch(state === 'done' ? /^$/ : /\.$/);
    if (state !== 'done') expect(endOf('volume-backup', { state: 'failed', message: 'Why.' }).message).toBe('Why.');
  },
);

test('the end of the command counts before a late cancellation, and a message that comes twice counts once', () => {
  const running: TransferActor = { ...begin({ ...input, state: 'running', revision: 1 }), called: false };
  const body = { state: 'done', message: null } as const;
  const ended = hear(running, { message: 'commandFinished', told: { id: '1', body } });
  const cancelled = hear(ended, { message: 'cancelled', told: { id: '2', body: {} } });
  expect(next(cancelled)).toBe('finish');
  expect(hear(cancelled, { message: 'cancelled', told: { id: '2', body: {} } })).toBe(cancelled);
  const early = hear(running, { message: 'cancelled', told: { id: '3', body: {} } });
  expect([next(early), next({ ...early, stopping: true })]).toEqual(['stop', undefined]);
});
