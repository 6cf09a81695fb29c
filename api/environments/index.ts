import { createEnvironment } from './create-environment.ts';
import { getEnvironment } from './get-environment.ts';
import { listEnvironments } from './list-environments.ts';

export const environments = { list: listEnvironments, create: createEnvironment, get: getEnvironment };
