import { listDeletedOrganizations } from './list-deleted-organizations.ts';
import { listDeletionHistory } from './list-deletion-history.ts';
import { purgeOrganization } from './purge-organization.ts';
import { restoreOrganization } from './restore-organization.ts';

export const deletedOrganizations = {
  list: listDeletedOrganizations,
  history: listDeletionHistory,
  restore: restoreOrganization,
  purge: purgeOrganization,
};
