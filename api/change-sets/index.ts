import { cancelChangeSet } from './after/cancel-change-set.ts';
import { retryChangeSet } from './after/retry-change-set.ts';
import { revertChangeSet } from './after/revert-change-set.ts';
import { applyChangeSet } from './apply-change-set.ts';
import { deleteItem } from './delete-item.ts';
import { discardDraft } from './discard-draft.ts';
import { getChangeSet } from './get-change-set.ts';
import { getDraft } from './get-draft.ts';
import { listChangeSets } from './list-change-sets.ts';
import { putItem } from './put-item.ts';
import { putItems } from './put-items.ts';

export const changeSets = {
  draft: getDraft,
  putItem,
  putItems,
  deleteItem,
  discard: discardDraft,
  applyDraft: applyChangeSet,
  get: getChangeSet,
  list: listChangeSets,
  retry: retryChangeSet,
  revert: revertChangeSet,
  cancel: cancelChangeSet,
};
