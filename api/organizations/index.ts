import { createOrganization } from './create-organization.ts';
import { deleteOrganization } from './delete-organization.ts';
import { getOrganization } from './get-organization.ts';
import { leaveOrganization } from './leave-organization.ts';
import { listOrganizations } from './list-organizations.ts';
import { updateOrganization } from './update-organization.ts';

export const organizations = {
  list: listOrganizations,
  create: createOrganization,
  get: getOrganization,
  update: updateOrganization,
  delete: deleteOrganization,
  leave: leaveOrganization,
};
