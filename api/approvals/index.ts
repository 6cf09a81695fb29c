import { decideApproval } from './decide-approval.ts';
import { getApproval } from './get-approval.ts';
import { listApprovals } from './list-approvals.ts';

export const approvals = { list: listApprovals, get: getApproval, decide: decideApproval };
