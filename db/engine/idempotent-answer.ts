import { defineEntity, p } from '@mikro-orm/core';

/** The stored answer to a request with an `Idempotency-Key`, kept for a day. */
export const IdempotentAnswerSchema = defineEntity({
  name: 'IdempotentAnswer',
  tableName: 'idempotent_answer',
  properties: {
    credentialId: p.text().primary(),
    operation: p.text().primary(),
    key: p.text().primary(),
    requestHash: p.blob().$type<Buffer>(),
    status: p.integer(),
    /** The answer's bytes; null when there were none or when they held a secret. */
    body: p.text().nullable(),
    /** Set instead of a body that held a secret: what was created. */
    subjectId: p.text().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [{ name: 'idempotent_answer_created_at_index', properties: ['createdAt'] }],
});

export class IdempotentAnswer extends IdempotentAnswerSchema.class {}
IdempotentAnswerSchema.setClass(IdempotentAnswer);
