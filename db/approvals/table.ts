import { defineEntity, p } from '@mikro-orm/core';
import { approvalDecisions, approvalKinds, type ChangeAuthor } from '../../domain/approvals/approvals.ts';
import { requestedBy } from '../engine/actor-row.ts';
import { type ForeignKey, toRow } from '../postgres/foreign-key.ts';
import type { JsonObject, JsonValue } from '../postgres/json.ts';

/** A change of a production environment that is held until somebody decides. */
const ApprovalSchema = defineEntity({
  name: 'approval',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    projectId: p.uuid(),
    environmentId: p.uuid(),
    /** Of a change set, or of one deployment. */
    changeSetId: p.uuid().nullable(),
    deploymentId: p.uuid().nullable(),
    kind: p.enum(approvalKinds),
    decision: p.enum(approvalDecisions).nullable(),
    decidedById: p.text().nullable(),
    decidedByName: p.text().nullable(),
    /** By an account whose change it is, while nobody else could. */
    selfApproved: p.boolean().default(false),
    /** An owner passed the gate in place of somebody else. */
    brokenGlass: p.boolean().default(false),
    /** Why it was decided so; `reason` is why it was requested. */
    decisionReason: p.text().default(''),
    ...requestedBy,
    /** The person whose rights bound the request: a token counts as its owner. */
    answerableId: p.text().nullable(),
    /** Whose change it is, as of the request. Null: an earlier version requested it. */
    authors: p.json<ChangeAuthor[]>().nullable(),
    reason: p.text().default(''),
    /** The live release of each service, by which the difference was made: another one makes it stale. */
    basis: p.json<JsonObject>(),
    diff: p.json<JsonValue>().nullable(),
    impact: p.json<JsonValue>().nullable(),
    target: p.json<JsonValue>().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    decidedAt: p.datetime(3).nullable(),
    expiresAt: p.datetime(3),
  },
  uniques: [{ properties: ['organizationId', 'id'] }],
  indexes: [
    { name: 'approval_page_index', properties: ['organizationId', 'createdAt', 'id'] },
    { name: 'approval_pending_index', properties: ['organizationId', 'createdAt', 'id'], where: 'decision is null' },
    { properties: ['environmentId'] },
  ],
});

export const approvals = [ApprovalSchema] as const;

export const foreignKeys: readonly ForeignKey[] = ['project', 'environment'].map((thing) =>
  toRow('approval', `${thing}_id`, thing),
);
