import { expect, test } from 'vitest';
import { explore } from '../../test/arbiter/explore.ts';
import type { Rules } from '../../test/arbiter/moves.ts';
import { decide } from './arbiter.ts';

const slots: Pick<Rules, 'concurrency'> = { concurrency: [1, 2] };

test.each<[string, Rules]>([
  ['four deployments at once', { ...slots, atOnce: 4, messages: 'heard' }],
  ['five at once, no message is heard', { ...slots, atOnce: 5, messages: 'lost' }],
])('no state that a larger project can reach breaks a rule: %s', (name, rules) => {
  const { states, steps, broken } = explore(decide, rules);
  console.log(`The arbiter, ${name}: ${states} states, ${steps} events and answers.`);
  expect(broken).toBeUndefined();
});
