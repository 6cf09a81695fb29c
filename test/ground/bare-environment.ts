import { compiledCode } from './bundle-cache.ts';

/** What a program that a test starts has in its environment, before any setting. */
export const bareEnvironment = { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: compiledCode };
