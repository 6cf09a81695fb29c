import { test } from 'vitest';
import { undoing } from '../../machine/test-ground.ts';
import { replacedUnderLoad } from '../../test/agents/ingress/replaced-ingress.ts';

const undo = undoing();

test('nothing is lost while the ingress is replaced five times and instances change under load', () =>
  replacedUnderLoad(undo, { rounds: 5, perSecond: 500 }));
