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
};
