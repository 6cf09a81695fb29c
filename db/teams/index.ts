import { TeamMemberSchema, TeamSchema } from './team.ts';

export const teams = [TeamSchema, TeamMemberSchema] as const;
