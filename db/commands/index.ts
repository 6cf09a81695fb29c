import { ClusterCommandSchema, CommandOutputSchema } from './cluster-command.ts';

export const commands = [ClusterCommandSchema, CommandOutputSchema] as const;
