import { agents } from './agents/operations.ts';
import { apiTokens } from './api-tokens/operations.ts';
import { approvals } from './approvals/operations.ts';
import { attention } from './attention/operations.ts';
import { auditLog } from './audit-log/operations.ts';
import { auth } from './auth/operations.ts';
import { builds } from './builds/operations.ts';
import { changeSets } from './change-sets/operations.ts';
import { clusterEvents } from './cluster-events/operations.ts';
import { clusters } from './clusters/operations.ts';
import { commands } from './commands/operations.ts';
import { deletedOrganizations } from './deleted-organizations/operations.ts';
import { deletions } from './deletions/operations.ts';
import { deployments } from './deployments/operations.ts';
import { envTemplate } from './env-template/operations.ts';
import { environments } from './environments/operations.ts';
import { events } from './events/operations.ts';
import { gitConnections } from './git-connections/operations.ts';
import { guards } from './guards/operations.ts';
import { invitations } from './invitations/operations.ts';
import { logs } from './logs/operations.ts';
import { members } from './members/operations.ts';
import { mesh } from './mesh/operations.ts';
import { notificationChannels } from './notification-channels/operations.ts';
import { notifications } from './notifications/operations.ts';
import { objectStores } from './object-stores/operations.ts';
import { organizationSettings } from './organization-settings/operations.ts';
import { organizations } from './organizations/operations.ts';
import { processes } from './processes/operations.ts';
import { projects } from './projects/operations.ts';
import { reference } from './reference/operations.ts';
import { registryCredentials } from './registry-credentials/operations.ts';
import { releases } from './releases/operations.ts';
import { repositoryConfig } from './repository-config/operations.ts';
import { searches } from './search/operations.ts';
import { services } from './services/operations.ts';
import { sessions } from './sessions/operations.ts';
import { teams } from './teams/operations.ts';
import { tokenExchange } from './token-exchange/operations.ts';
import { trustedIssuers } from './trusted-issuers/operations.ts';
import { variables } from './variables/operations.ts';
import { version } from './version/operations.ts';
import { volumeBackups } from './volume-backups/operations.ts';
import { volumeRestores } from './volume-restores/operations.ts';
import { volumes } from './volumes/operations.ts';
import { why } from './why/operations.ts';
import { workflows } from './workflows/operations.ts';
import { workloads } from './workloads/operations.ts';

/**
 * Every operation there is, in the groups of the subjects' folders. REST, tRPC, openapi.json, the reference page and the
 * sweeping tests read this list.
 */
export const operations = {
  auth: { ...auth, ...sessions },
  organizations: { ...organizations, ...organizationSettings },
  members,
  invitations,
  deletedOrganizations,
  apiTokens,
  trustedIssuers,
  tokenExchange,
  teams,
  projects,
  environments,
  changeSets,
  variables,
  envTemplate,
  repositoryConfig,
  approvals,
  guards,
  releases,
  registryCredentials,
  objectStores,
  volumeBackups,
  volumeRestores,
  gitConnections,
  deployments,
  builds,
  services,
  processes,
  volumes,
  deletions,
  clusters: { ...clusters, ...agents, ...clusterEvents, ...mesh },
  workloads: { ...workloads, ...logs },
  clusterCommands: commands,
  why,
  workflows,
  attention,
  notifications,
  notificationChannels,
  searches,
  auditLog,
  events,
  version,
  reference,
};

export type Operations = typeof operations;
