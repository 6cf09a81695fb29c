import { compiledCode } from './bundle-cache.ts';

/** The environment of a program that a test starts, before any setting. */
export const bareEnvironment = { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: compiledCode };
