import { changeProject } from './change-project.ts';
import { createProject } from './create-project.ts';
import { deleteProject } from './delete-project.ts';
import { projectDeletionImpact } from './deletion-impact.ts';
import { getClusterRecommendation } from './get-cluster-recommendation.ts';
import { getProject } from './get-project.ts';
import { listProjectImages } from './list-images.ts';
import { listProjects } from './list-projects.ts';

export const projects = {
  list: listProjects,
  create: createProject,
  get: getProject,
  change: changeProject,
  delete: deleteProject,
  deletionImpact: projectDeletionImpact,
  clusterRecommendation: getClusterRecommendation,
  images: listProjectImages,
};
