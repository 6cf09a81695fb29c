import { expect, test } from 'vitest';
import { imported, imports, send } from '../../test/api/imports.ts';

imports();

test('10,000 variables are one change, and one more is refused', async () => {
  const lines = Array.from({ length: 10_000 }, (_, number) => `KEY_${number}=value ${number}`);
  const { changes } = imported(await send(lines.join('\n')));
  expect(changes).toHaveLength(10_000);
  const again = imported(await send(lines.map((line) => `${line}!`).join('\n')));
  expect(new Set(again.changes.map(({ change }) => change))).toEqual(new Set(['changed']));
  const refused = await send([...lines, 'MORE=1'].join('\n'));
  expect(refused.status).toBe(422);
  expect(refused.text).toContain('at most 10000 variables');
});
