import { fileURLToPath } from 'node:url';

/** Where tests keep the bundle of the workflows: it is made once, not once a file. */
export const bundleCache = fileURLToPath(new URL('../../node_modules/.cache/ballast', import.meta.url));

/** Where programs that tests start keep their compiled code, as `./ballast` has its programs do. */
export const compiledCode = fileURLToPath(new URL('../../node_modules/.cache/ballast-compiled', import.meta.url));
