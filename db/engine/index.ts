import { HistoryArchivePageSchema } from './archive/history-archive-page.ts';
import { AuditRecordSchema } from './audit-record.ts';
import { ChangeFeedEntrySchema } from './feed/change-feed-entry.ts';
import { IdempotentAnswerSchema } from './idempotent-answer.ts';
import { RatePermitSchema } from './limits/rate-permit.ts';
import { StreamLeaseSchema } from './limits/stream-lease.ts';
import { OutboxEntrySchema } from './outbox-entry.ts';
import { ProcessSchema } from './processes/process.ts';

export const engine = [
  AuditRecordSchema,
  OutboxEntrySchema,
  ChangeFeedEntrySchema,
  IdempotentAnswerSchema,
  HistoryArchivePageSchema,
  StreamLeaseSchema,
  RatePermitSchema,
  ProcessSchema,
] as const;
