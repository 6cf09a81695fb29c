import { cancelAgentUpdate } from './agents/cancel-agent-update.ts';
import { getAgent } from './agents/get-agent.ts';
import { revokeAgent } from './agents/revoke-agent.ts';
import { rollbackAgent } from './agents/rollback-agent.ts';
import { updateAgent } from './agents/update-agent.ts';
import { createApiToken } from './api-tokens/create-api-token.ts';
import { listApiTokens } from './api-tokens/list-api-tokens.ts';
import { revokeApiToken } from './api-tokens/revoke-api-token.ts';
import { listAuditLog } from './audit-log/list-audit-log.ts';
import { callback } from './auth/callback.ts';
import { config } from './auth/config.ts';
import { start } from './auth/start.ts';
import { listClusterEvents } from './cluster-events/list-cluster-events.ts';
import { listOrganizationClusterEvents } from './cluster-events/list-organization-cluster-events.ts';
import { changeCluster } from './clusters/change-cluster.ts';
import { createCluster } from './clusters/create-cluster.ts';
import { createEnrollmentToken } from './clusters/create-enrollment-token.ts';
import { installDbOperator } from './clusters/db-operator.ts';
import { deleteCluster } from './clusters/delete-cluster.ts';
import { getCluster } from './clusters/get-cluster.ts';
import { getSshKey } from './clusters/get-ssh-key.ts';
import { listClusters } from './clusters/list-clusters.ts';
import { cancelCommand } from './commands/cancel-command.ts';
import { createCommand } from './commands/create-command.ts';
import { getCommand } from './commands/get-command.ts';
import { streamCommand } from './commands/stream-command.ts';
import { streamLogs } from './commands/stream-logs.ts';
import { listDeletedOrganizations } from './deleted-organizations/list-deleted-organizations.ts';
import { listDeletionHistory } from './deleted-organizations/list-deletion-history.ts';
import { purgeOrganization } from './deleted-organizations/purge-organization.ts';
import { restoreOrganization } from './deleted-organizations/restore-organization.ts';
import { streamEvents } from './events/stream-events.ts';
import { acceptInvitation } from './invitations/accept-invitation.ts';
import { createInvitation } from './invitations/create-invitation.ts';
import { listInvitations } from './invitations/list-invitations.ts';
import { resendInvitation } from './invitations/resend-invitation.ts';
import { revokeInvitation } from './invitations/revoke-invitation.ts';
import { viewInvitation } from './invitations/view-invitation.ts';
import { changeRole } from './members/change-role.ts';
import { getMember } from './members/get-member.ts';
import { listMembers } from './members/list-members.ts';
import { removeMember } from './members/remove-member.ts';
import { deleteMeshPeer } from './mesh/delete-mesh-peer.ts';
import { getMeshPeers } from './mesh/get-mesh-peers.ts';
import { getPrivatenetDevices } from './mesh/get-privatenet-devices.ts';
import { getDeletedRetention } from './organization-settings/get-deleted-retention.ts';
import { getJoinTokenTtl } from './organization-settings/get-join-token-ttl.ts';
import { setDeletedRetention } from './organization-settings/set-deleted-retention.ts';
import { setJoinTokenTtl } from './organization-settings/set-join-token-ttl.ts';
import { createOrganization } from './organizations/create-organization.ts';
import { deleteOrganization } from './organizations/delete-organization.ts';
import { getOrganization } from './organizations/get-organization.ts';
import { leaveOrganization } from './organizations/leave-organization.ts';
import { listOrganizations } from './organizations/list-organizations.ts';
import { updateOrganization } from './organizations/update-organization.ts';
import { getOpenapi } from './reference/get-openapi.ts';
import { endSession } from './sessions/end-session.ts';
import { getSession } from './sessions/get-session.ts';
import { signOut } from './sessions/sign-out.ts';
import { createTeam } from './teams/create-team.ts';
import { deleteTeam } from './teams/delete-team.ts';
import { listTeams } from './teams/list-teams.ts';
import { renameTeam } from './teams/rename-team.ts';
import { setTeamMembers } from './teams/set-team-members.ts';
import { exchangeToken } from './token-exchange/exchange-token.ts';
import { createTrustedIssuer } from './trusted-issuers/create-trusted-issuer.ts';
import { deleteTrustedIssuer } from './trusted-issuers/delete-trusted-issuer.ts';
import { getTrustedIssuer } from './trusted-issuers/get-trusted-issuer.ts';
import { listTrustedIssuers } from './trusted-issuers/list-trusted-issuers.ts';
import { updateTrustedIssuer } from './trusted-issuers/update-trusted-issuer.ts';
import { getVersion } from './version/get-version.ts';
import { listReleases } from './version/list-releases.ts';
import { getWorkflow } from './workflows/get-workflow.ts';
import { listHistory } from './workflows/list-history.ts';
import { listWorkflows } from './workflows/list-workflows.ts';
import { applyWorkload } from './workloads/apply-workload.ts';
import { applyWorkloads } from './workloads/apply-workloads.ts';
import { listInstances } from './workloads/list-instances.ts';
import { listWorkloads } from './workloads/list-workloads.ts';
import { removeWorkload } from './workloads/remove-workload.ts';

/** Every operation there is. REST, tRPC, openapi.json, the reference page and the sweeping tests read this list. */
export const operations = {
  auth: { start, callback, config, session: getSession, endSession, signOut },
  organizations: {
    list: listOrganizations,
    create: createOrganization,
    get: getOrganization,
    update: updateOrganization,
    delete: deleteOrganization,
    leave: leaveOrganization,
    getJoinTokenTtl,
    setJoinTokenTtl,
    getDeletedRetention,
    setDeletedRetention,
  },
  members: { list: listMembers, get: getMember, changeRole, remove: removeMember },
  invitations: {
    list: listInvitations,
    create: createInvitation,
    revoke: revokeInvitation,
    resend: resendInvitation,
    view: viewInvitation,
    accept: acceptInvitation,
  },
  deletedOrganizations: {
    list: listDeletedOrganizations,
    history: listDeletionHistory,
    restore: restoreOrganization,
    purge: purgeOrganization,
  },
  apiTokens: { list: listApiTokens, create: createApiToken, revoke: revokeApiToken },
  trustedIssuers: {
    list: listTrustedIssuers,
    get: getTrustedIssuer,
    create: createTrustedIssuer,
    update: updateTrustedIssuer,
    delete: deleteTrustedIssuer,
  },
  tokenExchange: { exchange: exchangeToken },
  teams: { list: listTeams, create: createTeam, rename: renameTeam, delete: deleteTeam, setMembers: setTeamMembers },
  clusters: {
    list: listClusters,
    create: createCluster,
    sshKey: getSshKey,
    get: getCluster,
    change: changeCluster,
    delete: deleteCluster,
    createEnrollmentToken,
    installDbOperator,
    agent: getAgent,
    updateAgent,
    cancelAgentUpdate,
    rollbackAgent,
    revokeAgent,
    events: listClusterEvents,
    organizationEvents: listOrganizationClusterEvents,
    privatenetDevices: getPrivatenetDevices,
    meshPeers: getMeshPeers,
    deleteMeshPeer,
  },
  workloads: {
    list: listWorkloads,
    put: applyWorkload,
    putAll: applyWorkloads,
    remove: removeWorkload,
    instances: listInstances,
    logs: streamLogs,
  },
  clusterCommands: { create: createCommand, get: getCommand, cancel: cancelCommand, stream: streamCommand },
  workflows: { list: listWorkflows, get: getWorkflow, history: listHistory },
  auditLog: { list: listAuditLog },
  events: { stream: streamEvents },
  version: { get: getVersion, releases: listReleases },
  reference: { openapi: getOpenapi },
};

export type Operations = typeof operations;
