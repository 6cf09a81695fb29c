import { expect, test } from 'vitest';
import { begin, giveUp, hear, longest, type UpdateMessage, type UpdateState } from './state.ts';

const input = { updateId: 'u', clusterId: 'c', organizationId: 'o', fromImage: 'old', toImage: 'new' };
let last = 0;
const id = (): string => {
  last += 1;
  return String(last);
};
const progress = (phase: 'downloading' | 'switching'): UpdateMessage => ({
  message: 'progress',
  told: { id: id(), body: { phase } },
});
const hello = (image: string, reason?: string, from = 'new'): UpdateMessage => ({
  message: 'hello',
  told: { id: id(), body: { image, returned: reason === undefined ? null : { from, reason } } },
});
const finished = (state: 'done' | 'failed' | 'unknown' | 'lost' | 'expired', message: string | null = null) =>
  ({ message: 'commandFinished', told: { id: id(), body: { state, message } } }) as const;
const after = (...messages: UpdateMessage[]): UpdateState => messages.reduce(hear, begin(input));

test('the new version says hello: it has succeeded, whatever was heard before', () => {
  expect(after(progress('downloading'), progress('switching'), hello('new')).phase).toBe('succeeded');
  expect(after(hello('new')).phase).toBe('succeeded');
  expect(after(finished('unknown'), hello('new'), finished('failed')).phase).toBe('succeeded');
});

test('the old version says that it is back: returned, with its reason', () => {
  const state = after(progress('switching'), hello('old', 'It did not start.'), finished('failed', 'late'));
  expect(state).toMatchObject({ phase: 'returned', message: 'It did not start.' });
});

test('the old version that merely started again says nothing about the update', () => {
  expect(after(progress('downloading'), hello('old')).phase).toBe('downloading');
  expect(after(progress('downloading'), hello('old', 'Long ago.', 'other')).phase).toBe('downloading');
});

test('what the agent cannot do has failed, with its sentence', () => {
  expect(after(finished('failed', 'Wrong digest.'))).toMatchObject({ phase: 'failed', message: 'Wrong digest.' });
  for (const end of ['lost', 'expired'] as const) expect(after(finished(end)).phase).toBe('failed');
});

test('it can be cancelled before the switch, and not after', () => {
  const cancelled: UpdateMessage = { message: 'cancelled', told: { id: 'x', body: {} } };
  expect(after(progress('downloading'), cancelled).phase).toBe('cancelled');
  expect(after(progress('switching'), cancelled).phase).toBe('switching');
});

test('every phase ends by itself, and one message counts once', () => {
  for (const state of [
    after(),
    after(progress('downloading')),
    after(progress('switching')),
    after(finished('done')),
  ]) {
    expect(longest(state)).toBeGreaterThan(0);
    expect(giveUp(state).phase).toBe('failed');
  }
  const message = progress('downloading');
  expect(after(message, message).revision).toBe(1);
  const over = after(hello('new'));
  expect(giveUp(over)).toBe(over);
});
