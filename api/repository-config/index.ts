import { detectProject } from './detect-project.ts';

export const repositoryConfig = { detectProject };
