import { agentUpdates } from './agent-updates/table.ts';
import { agents } from './agents/table.ts';
import { apiTokens } from './api-tokens/table.ts';
import { approvals } from './approvals/table.ts';
import { builds } from './builds/table.ts';
import { changeSets } from './change-sets/table.ts';
import { clusters } from './clusters/table.ts';
import { commands } from './commands/table.ts';
import { deletions } from './deletions/table.ts';
import { deployments } from './deployments/table.ts';
import { engine } from './engine/table.ts';
import { environments } from './environments/table.ts';
import { gitConnections } from './git-connections/table.ts';
import { guards } from './guards/table.ts';
import { identityProvider } from './identity-provider/table.ts';
import { installation } from './installation/table.ts';
import { invitations } from './invitations/table.ts';
import { keys } from './keys/table.ts';
import { logs } from './logs/table.ts';
import { members } from './members/table.ts';
import { notificationChannels } from './notification-channels/table.ts';
import { notifications } from './notifications/table.ts';
import { objectStores } from './object-stores/table.ts';
import { organizations } from './organizations/table.ts';
import { projects } from './projects/table.ts';
import { registry } from './registry/table.ts';
import { registryCredentials } from './registry-credentials/table.ts';
import { releases } from './releases/table.ts';
import { services } from './services/table.ts';
import { signIn } from './sign-in/table.ts';
import { teams } from './teams/table.ts';
import { trustedIssuers } from './trusted-issuers/table.ts';
import { users } from './users/table.ts';
import { volumeBackups } from './volume-backups/table.ts';
import { workloads } from './workloads/table.ts';

/** Every subject that has tables, besides the engine's own. */
const subjects = [
  installation,
  deletions,
  organizations,
  users,
  signIn,
  members,
  invitations,
  apiTokens,
  trustedIssuers,
  teams,
  engine,
  keys,
  identityProvider,
  clusters,
  agents,
  workloads,
  commands,
  logs,
  agentUpdates,
  projects,
  environments,
  services,
  registry,
  gitConnections,
  releases,
  changeSets,
  approvals,
  guards,
  deployments,
  builds,
  registryCredentials,
  objectStores,
  volumeBackups,
  notifications,
  notificationChannels,
] as const;

type Entity = (typeof subjects)[number][number];

/** Every entity there is. The tables' types and the migrations are made from this list. */
export const schemas: readonly Entity[] = (subjects as readonly (readonly Entity[])[]).flat();
