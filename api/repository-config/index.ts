import { detectConfig } from './detect-config.ts';
import { detectProject } from './detect-project.ts';

export const repositoryConfig = { detect: detectConfig, detectProject };
