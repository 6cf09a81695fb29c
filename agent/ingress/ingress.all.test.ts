import { afterEach, test } from 'vitest';
import { replacedUnderLoad } from '../../test/agents/ingress/replaced-ingress.ts';
import type { Undo } from '../../test/agents/ingress/served-ingress.ts';

const undo: Undo = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

test('nothing is lost while the ingress is replaced five times and instances change under load', () =>
  replacedUnderLoad(undo, { rounds: 5, perSecond: 500 }));
