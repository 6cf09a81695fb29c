import { EnvironmentServiceSchema } from './environment-service.ts';
import { ServiceSchema } from './service.ts';
import { ServiceProcessSchema } from './service-process.ts';
import { VariableSchema } from './variable.ts';
import { VolumeSchema } from './volume.ts';

export const services = [
  ServiceSchema,
  ServiceProcessSchema,
  VolumeSchema,
  EnvironmentServiceSchema,
  VariableSchema,
] as const;
