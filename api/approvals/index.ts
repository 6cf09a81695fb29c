import { breakGlass } from './break-glass.ts';
import { decideApproval } from './decide-approval.ts';
import { getApproval } from './get-approval.ts';
import { listApprovals } from './list-approvals.ts';
import { refreshApproval } from './refresh-approval.ts';

export const approvals = {
  list: listApprovals,
  get: getApproval,
  decide: decideApproval,
  breakGlass,
  refresh: refreshApproval,
};
