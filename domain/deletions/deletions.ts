/**
 * The states of a deletion: retained until its time has passed or its purge is requested; purging from the claim on,
 * after which nothing can be restored. purged, restored and failed are final.
 */
export const deletionStates = ['retained', 'purging', 'purged', 'restored', 'failed'] as const;
export type DeletionState = (typeof deletionStates)[number];

export const deletionTransitions: Readonly<Record<DeletionState, readonly DeletionState[]>> = {
  retained: ['purging', 'purged', 'restored', 'failed'],
  purging: ['purged', 'restored', 'failed'],
  purged: [],
  restored: [],
  failed: [],
};

export function isDeletionOver(state: DeletionState): boolean {
  return deletionTransitions[state].length === 0;
}
