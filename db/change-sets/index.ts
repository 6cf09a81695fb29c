import { ChangeSetSchema } from './change-set.ts';
import { ChangeSetItemSchema } from './change-set-item.ts';
import { DraftSchema } from './draft.ts';

export const changeSets = [DraftSchema, ChangeSetItemSchema, ChangeSetSchema] as const;
