import { EnvironmentSchema } from './environment.ts';
import { SharedVariableSchema } from './shared-variable.ts';

export const environments = [EnvironmentSchema, SharedVariableSchema] as const;
