import { test } from 'vitest';
import { anyRollout } from '../../../test/agents/any-rollout.ts';

test('whatever happens, one release serves at a time, none is served less by a rollout, and every crash leads to one end', () =>
  anyRollout(100));
