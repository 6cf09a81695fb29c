import { test } from 'vitest';
import { waitsWhileAway } from '../../../test/images/away-control-plane.ts';

test('a push of an agent waits where nobody answers, as long as there is time', () => waitsWhileAway('no connection'));
