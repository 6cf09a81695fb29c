import { z } from 'zod';
import type { ChangeSetRecord } from '../../db/change-sets/change-sets.ts';
import type { ChangeSetFullView, ItemView } from '../../db/change-sets/view.ts';
import { changeSetSources, changeSetStates, itemKinds } from '../../domain/change-sets/items.ts';
import { buildTimes } from '../../domain/variables/build-time.ts';
import type { AnswerOf } from '../engine/answers.ts';

const person = z.object({ id: z.string(), name: z.string() });

export const changeSetSchema = z
  .object({
    id: z.guid(),
    environmentId: z.guid(),
    approvalId: z.guid().optional(),
    message: z.string().describe('The words of the person who applied it.'),
    reason: z.string(),
    source: z.enum(changeSetSources),
    sourceCommit: z.string(),
    state: z.enum(['draft', ...changeSetStates]),
    createdAt: z.iso.datetime(),
    appliedAt: z.iso.datetime().optional(),
    finishedAt: z.iso.datetime().optional(),
    downtimeAccepted: z.boolean(),
    revision: z.int().optional().describe('Of a draft: grows with each change of its items.'),
    requestedBy: person.optional().describe('Absent as long as it is a draft.'),
    blocker: z.string().describe('What it waits for, or what it failed by; empty: nothing.'),
    stateMessage: z.string().describe('Why it is as it is.'),
  })
  .meta({ id: 'ChangeSet' });

export const changeSetItemSchema = z
  .object({
    id: z.guid(),
    kind: z.enum(itemKinds),
    key: z.string(),
    label: z.string(),
    serviceId: z.guid().optional(),
    serviceSlug: z.string(),
    processId: z.guid().optional(),
    volumeId: z.guid().optional(),
    from: z.string().describe('JSON text; empty if it is secret or nothing was there.'),
    to: z.string().describe('JSON text; empty if it is secret or nothing is there any more.'),
    secret: z.boolean(),
    buildTime: z
      .enum(['', ...buildTimes])
      .describe('Of a variable that is set: whether builds see it then; else empty.'),
    fromBuildTime: z
      .enum(['', ...buildTimes])
      .describe('Of a variable that was there: whether they saw it; else empty.'),
    toEmpty: z.boolean().describe('The new value is the empty text.'),
    managed: z.boolean().describe("Staged by the repository's configuration."),
    stagedBy: person,
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'ChangeSetItem' });

const summarySchema = z
  .object({
    affectedServiceIds: z.array(z.guid()),
    needsApproval: z.boolean(),
    requiresDowntime: z.boolean(),
  })
  .meta({ id: 'ChangeSetSummary' });

export const changeSetViewSchema = z
  .object({
    environmentId: z.guid(),
    changeSet: changeSetSchema,
    items: z.array(changeSetItemSchema),
    summary: summarySchema,
    projectConfig: z
      .object({ changeSet: changeSetSchema, items: z.array(changeSetItemSchema), summary: summarySchema })
      .optional()
      .describe("The changes that the repository's configuration staged, if it does."),
  })
  .meta({ id: 'ChangeSetView' });

export function changeSetAnswer(changeSet: ChangeSetRecord): AnswerOf<typeof changeSetSchema> {
  const { title, sourceCommit, blocker, message } = changeSet;
  return {
    ...changeSet,
    message: title,
    sourceCommit: sourceCommit ?? '',
    blocker: blocker ?? '',
    stateMessage: message ?? '',
  };
}

function itemAnswer(item: ItemView): AnswerOf<typeof changeSetItemSchema> {
  return {
    ...item,
    serviceId: item.service_id,
    serviceSlug: item.serviceSlug ?? '',
    processId: item.process_id,
    volumeId: item.volume_id,
    from: item.from_value,
    to: item.to_value,
    buildTime: item.build_time ?? '',
    fromBuildTime: item.from_build_time ?? '',
    toEmpty: item.to_empty,
    stagedBy: { id: item.staged_by_id, name: item.staged_by_name },
    createdAt: item.created_at,
  };
}

export function changeSetViewAnswer(view: ChangeSetFullView): AnswerOf<typeof changeSetViewSchema> {
  const { changeSet, items } = view;
  return {
    ...view,
    environmentId: changeSet.environmentId,
    changeSet: changeSetAnswer(changeSet),
    items: items.map(itemAnswer),
  };
}
