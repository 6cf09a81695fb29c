import { changeProject } from './change-project.ts';
import { createProject } from './create-project.ts';
import { getClusterRecommendation } from './get-cluster-recommendation.ts';
import { getProject } from './get-project.ts';
import { listProjects } from './list-projects.ts';

export const projects = {
  list: listProjects,
  create: createProject,
  get: getProject,
  change: changeProject,
  clusterRecommendation: getClusterRecommendation,
};
