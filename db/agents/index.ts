import { ClusterAgentSchema, EnrollmentTokenSchema } from './cluster-agent.ts';

export const agents = [ClusterAgentSchema, EnrollmentTokenSchema] as const;
