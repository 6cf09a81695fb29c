import { expect, test } from 'vitest';
import { namedVariables, unsetSentence, unsetVariables } from './unset-variables.ts';

const asking = (required: string[], set: string[]) => ({ path: '.env.example', required, set });

test.each([
  ['those that it has not', ['A', 'B', 'C'], ['B', 'X'], undefined, ['A', 'C']],
  ['none of pages, which builds see', ['VITE_URL', 'A'], [], undefined, ['A']],
  ['none that the live release does without, too', ['A', 'B'], [], [['A'], []], ['B']],
  ['one that the live release has', ['A', 'B'], ['B'], [['A'], ['A']], ['A']],
] as const)('of a release are named %s', (_, required, set, live, names) => {
  const before = live === undefined ? undefined : asking([...live[0]], [...live[1]]);
  expect(unsetVariables(asking([...required], [...set]), before)).toEqual({ path: '.env.example', names });
});

test('a release that has all of them, or asks for none, lacks nothing', () => {
  expect(unsetVariables(asking(['A'], ['A']), undefined)).toBeUndefined();
  expect(unsetVariables(asking([], []), undefined)).toBeUndefined();
});

test.each([
  [1, 'A1'],
  [2, 'A1 and A2'],
  [3, 'A1, A2 and A3'],
  [6, 'A1, A2, A3, A4, A5 and A6'],
  [7, 'A1, A2, A3, A4, A5 and 2 more'],
])('%i names stand in a sentence as %j', (count, text) => {
  expect(namedVariables(Array.from({ length: count }, (_, at) => `A${at + 1}`))).toBe(text);
});

test('the sentence says what asks for them, and what to do', () => {
  expect(unsetSentence({ path: 'web/.env.sample', names: ['A', 'B'] })).toBe(
    'It may lack A and B, which web/.env.sample asks for and nobody has set: `./ballast var set KEY=VALUE`, then `./ballast deploy --staged`.',
  );
});
