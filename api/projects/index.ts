import { createProject } from './create-project.ts';
import { getProject } from './get-project.ts';
import { listProjects } from './list-projects.ts';

export const projects = { list: listProjects, create: createProject, get: getProject };
