/**
 * All states that a project can reach, with every kind of request at two places, events in every order, workers that die
 * between a commit and its answer, messages that are heard late or never, and slots that are taken from it. In each state
 * and after each event the rules of `test/arbiter/` hold, which say in other words what the arbiter does; from each state
 * everything becomes final when actors and those who decide do their part. `test/arbiter/mutants/` has the changes
 * of the arbiter that each break a rule and are noticed here.
 */
import { expect, test } from 'vitest';
import { explore } from '../../test/arbiter/explore.ts';
import type { Rules } from '../../test/arbiter/moves.ts';
import { mutated } from '../../test/arbiter/mutants/mutated.ts';
import { mutantsOfEvents } from '../../test/arbiter/mutants/of-events.ts';
import { mutantsOfQueueAndWrites } from '../../test/arbiter/mutants/of-queue-and-writes.ts';
import { decide } from './arbiter.ts';

/** Each of the mutants breaks a rule in one of these two already. */
test.each<[string, Rules]>([
  ['two deployments at once', { atOnce: 2, concurrency: [1, 2], messages: 'heard' }],
  ['three at once, no message is heard', { atOnce: 3, concurrency: [1, 2], messages: 'lost' }],
])('no state that a project can reach breaks a rule: %s', (name, rules) => {
  const { states, steps, broken } = explore(decide, rules);
  console.log(`The arbiter, ${name}: ${states} states, ${steps} events and answers.`);
  expect(broken).toBeUndefined();
});

const small: Rules = { atOnce: 3, concurrency: [1, 2], messages: 'heard' };

/** Some of each list, so that a change of the exploration itself is noticed. */
const mutants = [mutantsOfQueueAndWrites, mutantsOfEvents].flatMap((list) => list.filter((_, at) => at % 12 === 0));

test.each(mutants)('an arbiter without this rule is noticed: $without', async (mutant) => {
  expect(explore(await mutated(mutant), small).broken).toBeDefined();
});
