import { ApprovalSchema } from './approval.ts';

export const approvals = [ApprovalSchema] as const;
