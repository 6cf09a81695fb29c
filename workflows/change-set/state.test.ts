import { expect, test } from 'vitest';
import { adopt, asked, begin, hear, inputFrom, isOver } from './state.ts';

const input = { changeSetId: 'c', projectId: 'p', organizationId: 'o', expiresAt: null };
const ended = (id: string) => ({ message: 'deploymentEnded' as const, told: { id, body: {} } });

test('a change set looks at its row when it begins, and after each message, once', () => {
  const begun = begin(input);
  expect(begun.woken).toBe(true);
  const waiting = asked(begun);
  expect(waiting.woken).toBe(false);
  const woken = hear(waiting, ended('1'));
  expect(woken.woken).toBe(true);
  expect(hear(asked(woken), ended('1')).woken).toBe(false);
});

test('the row counts', () => {
  const adopted = adopt(begin({ ...input, state: 'held' }), { state: 'rejected', revision: 4 });
  expect(isOver(adopted)).toBe(true);
  expect(inputFrom(input, adopted)).toMatchObject({ state: 'rejected', revision: 4 });
});
