import { ProjectSchema } from './project.ts';

export const projects = [ProjectSchema] as const;
