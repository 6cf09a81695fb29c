import { expect } from 'vitest';
import type { Answered } from '../installation/running-api.ts';

/** The answer is a problem with this status; `why` is in its detail, or an array is what its errors match. */
export function expectProblem(
  { status, body, text }: Pick<Answered, 'status' | 'body'> & { text?: string },
  expected: number,
  why: string | RegExp | object[],
): void {
  expect(status, text).toBe(expected);
  if (Array.isArray(why)) expect(body.errors).toMatchObject(why);
  else if (typeof why === 'string') expect(body.detail).toContain(why);
  else expect(body.detail).toMatch(why);
}
