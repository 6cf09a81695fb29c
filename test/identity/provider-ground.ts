import { afterAll, beforeAll } from 'vitest';
import { type BuiltInProvider, builtInProvider } from './built-in-provider.ts';

/** The built-in provider for all tests of a file, and people who have not been there. */
export function providerGround() {
  // Filled before the first test.
  const provider = {} as BuiltInProvider;
  let people = 0;
  beforeAll(async () => void Object.assign(provider, await builtInProvider()));
  afterAll(() => provider.close());
  return {
    provider,
    password: 'correct horse battery',
    /** An address of somebody else each time. */
    newEmail: () => `ada${++people}@example.com`,
  };
}

/** The answer to a wrong password and to an unknown address alike. */
export const wrongPassword = 'The e-mail address or the password is wrong; try again.';
