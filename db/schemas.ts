import { ApiTokenProjectSchema, ApiTokenSchema } from './entities/api-token.ts';
import { AppUserSchema } from './entities/app-user.ts';
import { AuditRecordSchema } from './entities/audit-record.ts';
import { ChangeFeedEntrySchema } from './entities/change-feed-entry.ts';
import { DataKeySchema } from './entities/data-key.ts';
import { DeletionSchema } from './entities/deletion.ts';
import { HistoryArchivePageSchema } from './entities/history-archive-page.ts';
import { IdempotentAnswerSchema } from './entities/idempotent-answer.ts';
import { InstallationSchema } from './entities/installation.ts';
import { MembershipSchema } from './entities/membership.ts';
import { OrganizationSchema } from './entities/organization.ts';
import { OutboxEntrySchema } from './entities/outbox-entry.ts';
import { ProcessSchema } from './entities/process.ts';
import { RatePermitSchema } from './entities/rate-permit.ts';
import { SessionSchema } from './entities/session.ts';
import { StreamLeaseSchema } from './entities/stream-lease.ts';
import { TeamMemberSchema, TeamSchema } from './entities/team.ts';

/** Every entity there is. The tables' types, the migrations and the purge are made from this list. */
export const schemas = [
  InstallationSchema,
  DeletionSchema,
  OrganizationSchema,
  AppUserSchema,
  MembershipSchema,
  SessionSchema,
  ApiTokenSchema,
  ApiTokenProjectSchema,
  TeamSchema,
  TeamMemberSchema,
  AuditRecordSchema,
  OutboxEntrySchema,
  ChangeFeedEntrySchema,
  IdempotentAnswerSchema,
  DataKeySchema,
  HistoryArchivePageSchema,
  StreamLeaseSchema,
  RatePermitSchema,
  ProcessSchema,
] as const;
