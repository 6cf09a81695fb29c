import { checkGitConnection } from './check-git-connection.ts';
import { createHostedConnection } from './create-hosted-connection.ts';
import { createSelfhostedConnection } from './create-selfhosted-connection.ts';
import { deleteGitConnection } from './delete-git-connection.ts';
import { listBranches } from './list-branches.ts';
import { listGitConnections } from './list-git-connections.ts';
import { listRepositories } from './list-repositories.ts';
import { replaceWebhookSecret } from './replace-webhook-secret.ts';
import { updateGitConnection } from './update-git-connection.ts';

export const gitConnections = {
  list: listGitConnections,
  createSelfhosted: createSelfhostedConnection,
  createHosted: createHostedConnection,
  update: updateGitConnection,
  delete: deleteGitConnection,
  check: checkGitConnection,
  branches: listBranches,
  repositories: listRepositories,
  webhookSecret: replaceWebhookSecret,
};
