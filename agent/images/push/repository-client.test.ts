import { test } from 'vitest';
import { waitsWhileAway } from '../../../test/images/away-control-plane.ts';

test('a push of an agent waits for a control plane that is away, as long as there is time', () => waitsWhileAway(503));
