import { createApiToken } from './api-tokens/create-api-token.ts';
import { listApiTokens } from './api-tokens/list-api-tokens.ts';
import { revokeApiToken } from './api-tokens/revoke-api-token.ts';
import { listAuditLog } from './audit-log/list-audit-log.ts';
import { listDeletedOrganizations } from './deleted-organizations/list-deleted-organizations.ts';
import { purgeOrganization } from './deleted-organizations/purge-organization.ts';
import { restoreOrganization } from './deleted-organizations/restore-organization.ts';
import { streamEvents } from './events/stream-events.ts';
import { deleteOrganization } from './organizations/delete-organization.ts';
import { getOrganization } from './organizations/get-organization.ts';
import { listOrganizations } from './organizations/list-organizations.ts';
import { getOpenapi } from './reference/get-openapi.ts';
import { createTeam } from './teams/create-team.ts';
import { deleteTeam } from './teams/delete-team.ts';
import { listTeams } from './teams/list-teams.ts';
import { renameTeam } from './teams/rename-team.ts';
import { setTeamMembers } from './teams/set-team-members.ts';
import { getVersion } from './version/get-version.ts';
import { listReleases } from './version/list-releases.ts';

/** Every operation there is. REST, tRPC, openapi.json, the reference page and the sweeping tests read this list. */
export const operations = {
  organizations: { list: listOrganizations, get: getOrganization, delete: deleteOrganization },
  deletedOrganizations: {
    list: listDeletedOrganizations,
    restore: restoreOrganization,
    purge: purgeOrganization,
  },
  apiTokens: { list: listApiTokens, create: createApiToken, revoke: revokeApiToken },
  teams: { list: listTeams, create: createTeam, rename: renameTeam, delete: deleteTeam, setMembers: setTeamMembers },
  auditLog: { list: listAuditLog },
  events: { stream: streamEvents },
  version: { get: getVersion, releases: listReleases },
  reference: { openapi: getOpenapi },
};

export type Operations = typeof operations;
