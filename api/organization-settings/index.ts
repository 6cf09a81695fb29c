import { getApprovalExpiry } from './get-approval-expiry.ts';
import { getDeletedRetention } from './get-deleted-retention.ts';
import { getJoinTokenTtl } from './get-join-token-ttl.ts';
import { setApprovalExpiry } from './set-approval-expiry.ts';
import { setDeletedRetention } from './set-deleted-retention.ts';
import { setJoinTokenTtl } from './set-join-token-ttl.ts';

export const organizationSettings = {
  getJoinTokenTtl,
  setJoinTokenTtl,
  getDeletedRetention,
  setDeletedRetention,
  getApprovalExpiry,
  setApprovalExpiry,
};
