import { expect, test } from 'vitest';
import { heldUntil } from './held-first.tsx';

test('who ends the wait is somebody else, unless there is nobody else', () => {
  expect(heldUntil('Production', 'not-you')).toMatch(/until an administrator or an owner has approved it\.$/);
  expect(heldUntil('Production', 'others')).toMatch(/until another administrator or owner has approved it\.$/);
  expect(heldUntil('Europe', 'you-alone')).toMatch(
    /^Nothing changes in Europe until you approve it yourself, because you/,
  );
});
