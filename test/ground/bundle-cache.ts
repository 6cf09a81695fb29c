import { fileURLToPath } from 'node:url';

/** Where tests keep the bundle of the workflows: it is made once, not once a file. */
export const bundleCache = fileURLToPath(new URL('../../node_modules/.cache/ballast', import.meta.url));
