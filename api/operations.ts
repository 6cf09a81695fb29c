import { agents } from './agents/index.ts';
import { apiTokens } from './api-tokens/index.ts';
import { approvals } from './approvals/index.ts';
import { attention } from './attention/index.ts';
import { auditLog } from './audit-log/index.ts';
import { auth } from './auth/index.ts';
import { builds } from './builds/index.ts';
import { changeSets } from './change-sets/index.ts';
import { clusterEvents } from './cluster-events/index.ts';
import { clusters } from './clusters/index.ts';
import { commands } from './commands/index.ts';
import { deletedOrganizations } from './deleted-organizations/index.ts';
import { deletions } from './deletions/index.ts';
import { deployments } from './deployments/index.ts';
import { envTemplate } from './env-template/index.ts';
import { environments } from './environments/index.ts';
import { events } from './events/index.ts';
import { gitConnections } from './git-connections/index.ts';
import { guards } from './guards/index.ts';
import { invitations } from './invitations/index.ts';
import { logs } from './logs/index.ts';
import { members } from './members/index.ts';
import { mesh } from './mesh/index.ts';
import { notificationChannels } from './notification-channels/index.ts';
import { notifications } from './notifications/index.ts';
import { organizationSettings } from './organization-settings/index.ts';
import { organizations } from './organizations/index.ts';
import { processes } from './processes/index.ts';
import { projects } from './projects/index.ts';
import { reference } from './reference/index.ts';
import { registryCredentials } from './registry-credentials/index.ts';
import { releases } from './releases/index.ts';
import { repositoryConfig } from './repository-config/index.ts';
import { searches } from './search/index.ts';
import { services } from './services/index.ts';
import { sessions } from './sessions/index.ts';
import { teams } from './teams/index.ts';
import { tokenExchange } from './token-exchange/index.ts';
import { trustedIssuers } from './trusted-issuers/index.ts';
import { variables } from './variables/index.ts';
import { version } from './version/index.ts';
import { volumes } from './volumes/index.ts';
import { why } from './why/index.ts';
import { workflows } from './workflows/index.ts';
import { workloads } from './workloads/index.ts';

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
