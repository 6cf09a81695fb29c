/** As `arbiter-exploration.test.ts`, with more at once, and each mutant. */
import { expect, test } from 'vitest';
import { explore } from '../../test/arbiter/explore.ts';
import type { Rules } from '../../test/arbiter/moves.ts';
import { mutated } from '../../test/arbiter/mutants/mutated.ts';
import { mutantsOfEvents } from '../../test/arbiter/mutants/of-events.ts';
import { mutantsOfQueueAndWrites } from '../../test/arbiter/mutants/of-queue-and-writes.ts';
import { decide } from './arbiter.ts';

const small: Rules = { atOnce: 3, concurrency: [1, 2], messages: 'heard' };

test.each<[string, Rules]>([
  ['three deployments at once', small],
  ['four at once, no message is heard', { ...small, atOnce: 4, messages: 'lost' }],
])('no state that a project can reach breaks a rule: %s', (name, rules) => {
  const { states, steps, broken } = explore(decide, rules);
  console.log(`The arbiter, ${name}: ${states} states, ${steps} events and answers.`);
  expect(broken).toBeUndefined();
});

/** Beyond those of `npm test`. */
const mutants = [mutantsOfQueueAndWrites, mutantsOfEvents].flatMap((list) => list.filter((_, at) => at % 12 > 0));

test.each(mutants)('an arbiter without this rule is noticed: $without', async (mutant) => {
  expect(explore(await mutated(mutant), small).broken).toBeDefined();
});
