/**
 * The states of a change set that was applied: held until it is approved; applying while its deployments run; applied when
 * all of them are live. Changes that are still staged are a draft, which has no state.
 */
export const changeSetStates = ['held', 'applying', 'applied', 'failed', 'rejected', 'expired', 'cancelled'] as const;
export type ChangeSetState = (typeof changeSetStates)[number];

export const finalChangeSetStates = [
  'applied',
  'failed',
  'rejected',
  'expired',
  'cancelled',
] as const satisfies readonly ChangeSetState[];

export function isChangeSetOver(state: ChangeSetState): boolean {
  return finalChangeSetStates.some((one) => one === state);
}
