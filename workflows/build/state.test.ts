import { describe, expect, test } from 'vitest';
import type { BuildInput } from './descriptor.ts';
import { type BuildActor, type BuildMessage, begin, endOf, hear, next } from './state.ts';

const input: BuildInput = { buildId: 'b', organizationId: 'o', cancelRequested: false };
const told = (message: BuildMessage['message'], body: object = {}, id = message): BuildMessage =>
  ({ message, told: { id, body } }) as BuildMessage;
const finished = (state: string, message: string | null = null) => told('commandFinished', { state, message });
const running = (more: Partial<BuildActor> = {}): BuildActor => ({
  ...begin({ ...input, state: 'running', revision: 1 }),
  called: false,
  ...more,
});

describe('the next deed', () => {
  test('it claims first of all, and again when it is called', () => {
    const begun = begin(input);
    expect(next(begun)).toBe('claim');
    const waiting = { ...begun, called: false };
    expect(next(waiting)).toBeUndefined();
    expect(next(hear(waiting, told('turn')))).toBe('claim');
  });

  test('told that a newer commit took its place, it looks at its row', () => {
    expect(next(hear({ ...begin(input), called: false }, told('superseded')))).toBe('claim');
  });

  test('in the queue it is cancelled without being claimed', () => {
    expect(next(hear(begin(input), told('cancelled')))).toBe('cancel');
    expect(next(begin({ ...input, cancelRequested: true }))).toBe('cancel');
  });

  test('running, the agent is asked once to stop, and its end counts', () => {
    const cancelled = hear(running(), told('cancelled'));
    expect(next(cancelled)).toBe('stop');
    expect(next({ ...cancelled, stopping: true })).toBeUndefined();
    expect(next(hear({ ...cancelled, stopping: true }, finished('done')))).toBe('finish');
  });

  test('a run that begins with a running build asks how the command ended', () => {
    expect(next(begin({ ...input, state: 'running' }))).toBe('claim');
    expect(next(hear(begin({ ...input, state: 'running' }), finished('done')))).toBe('finish');
  });

  test('a final one has nothing to do, whatever is heard', () => {
    const over = { ...running(), phase: 'succeeded' as const };
    expect(next(hear(over, told('cancelled')))).toBeUndefined();
  });
});

test('a message that comes twice counts once', () => {
  const once = hear(running(), finished('failed', 'no'));
  expect(hear(once, finished('done'))).toBe(once);
});

test.each([
  ['done', 'succeeded', ''],
  ['failed', 'failed', 'its words'],
  ['cancelled', 'cancelled', 'its words'],
  ['unknown', 'failed', 'The agent was interrupted while it built; build again.'],
  ['lost', 'failed', 'The agent that built it lost contact and did not come back; build again.'],
  ['expired', 'failed', 'The agent did not take the build in time; build again when it is in contact.'],
] as const)('a command that is %s ends the build as %s', (state, end, message) => {
  expect(endOf({ state, message: 'its words' })).toEqual({ state: end, message });
});
