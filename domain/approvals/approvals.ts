export const approvalKinds = ['deploy', 'rollback', 'promote', 'change-set'] as const;
export type ApprovalKind = (typeof approvalKinds)[number];

/** The decisions of people. */
export const approvalChoices = ['approved', 'rejected'] as const;
export const approvalDecisions = [...approvalChoices, 'expired', 'superseded', 'cancelled'] as const;
export type ApprovalDecision = (typeof approvalDecisions)[number];

/** So long may an approval wait, unless its organization says otherwise: hours of the clock, also where summer time begins. */
export const approvalHours = 30 * 24;
