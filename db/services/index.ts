import { EnvironmentServiceSchema } from './environment-service.ts';
import { ServiceSchema } from './service.ts';
import { ServiceProcessSchema } from './service-process.ts';
import { VariableSchema } from './variable.ts';

export const services = [ServiceSchema, ServiceProcessSchema, EnvironmentServiceSchema, VariableSchema] as const;
