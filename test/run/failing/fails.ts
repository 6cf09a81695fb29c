import { describe, expect, test } from 'vitest';
import { notRun } from '../not-run.ts';

notRun('browser', 'install chromium', 'chromium');
notRun('sandbox', 'this kernel has no namespaces');

describe('a thing', () => {
  test("that isn't right (yet)", () => expect(1).toBe(2));
  test('that is', () => expect(1).toBe(1));
});
