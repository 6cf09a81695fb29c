import { test } from 'vitest';
import { anyRollout } from '../../../test/agents/any-rollout.ts';

test('whatever happens on a long walk, one release serves at a time, and every crash leads to one end', () =>
  anyRollout(600));
