import { listDeleted } from './list-deleted.ts';
import { purgeDeleted } from './purge-deleted.ts';
import { restoreDeleted } from './restore-deleted.ts';

export const deletions = { list: listDeleted, restore: restoreDeleted, purge: purgeDeleted };
