import { detectConfig } from './detect-config.ts';
import { detectProject } from './detect-project.ts';
import { listPublicBranches } from './list-public-branches.ts';

export const repositoryConfig = { detect: detectConfig, detectProject, publicBranches: listPublicBranches };
