import { EnvironmentSchema } from './environment.ts';

export const environments = [EnvironmentSchema] as const;
