import { compiledKinds } from './compiled.ts';
import { javaKinds } from './java.ts';
import type { Kind } from './kind.ts';
import { languageKinds } from './languages.ts';
import { monorepoKinds } from './monorepos.ts';
import { packageManagerKinds } from './package-managers.ts';
import { pageKinds } from './pages.ts';
import { pythonKinds } from './python.ts';
import { serverKinds } from './servers.ts';

/** All of them, those that are cheap to build first in each family. */
export const kinds: readonly Kind[] = [
  ...packageManagerKinds,
  ...monorepoKinds,
  ...pageKinds,
  ...serverKinds,
  ...pythonKinds,
  ...compiledKinds,
  ...javaKinds,
  ...languageKinds,
];

/** The first server and the first pages of each language: a whole run shows these, the soak the others. */
export const sampledKinds: readonly Kind[] = kinds.filter(({ detected }, at) => {
  const { provider, port } = detected;
  return (
    kinds.findIndex((one) => one.detected.provider === provider && (one.detected.port === 0) === (port === 0)) === at
  );
});

export const otherKinds: readonly Kind[] = kinds.filter((kind) => !sampledKinds.includes(kind));
