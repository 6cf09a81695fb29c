import { GitAllowedProjectSchema, GitConnectionSchema } from './git-connection.ts';
import { GitDeliverySchema } from './git-delivery.ts';

export const gitConnections = [GitConnectionSchema, GitAllowedProjectSchema, GitDeliverySchema] as const;
