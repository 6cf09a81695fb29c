import { GitConnectionSchema } from './git-connection.ts';
import { GitDeliverySchema } from './git-delivery.ts';

export const gitConnections = [GitConnectionSchema, GitDeliverySchema] as const;
