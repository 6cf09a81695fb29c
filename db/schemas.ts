import { AgentReleaseSchema, AgentUpdateSchema } from './entities/agent-update.ts';
import { ApiTokenProjectSchema, ApiTokenSchema } from './entities/api-token.ts';
import { AppUserSchema } from './entities/app-user.ts';
import { AuditRecordSchema } from './entities/audit-record.ts';
import { ChangeFeedEntrySchema } from './entities/change-feed-entry.ts';
import { ClusterSchema } from './entities/cluster.ts';
import { ClusterAgentSchema, EnrollmentTokenSchema } from './entities/cluster-agent.ts';
import { ClusterCommandSchema, CommandOutputSchema } from './entities/cluster-command.ts';
import { ClusterEventSchema } from './entities/cluster-event.ts';
import { ClusterSliceSchema, IngressHostSchema, ObservedSliceSchema } from './entities/cluster-slice.ts';
import { DataKeySchema } from './entities/data-key.ts';
import { DeletionSchema } from './entities/deletion.ts';
import { HistoryArchivePageSchema } from './entities/history-archive-page.ts';
import { IdempotentAnswerSchema } from './entities/idempotent-answer.ts';
import { IdentitySchema } from './entities/identity.ts';
import { InstallationSchema } from './entities/installation.ts';
import { InvitationSchema } from './entities/invitation.ts';
import { MembershipSchema } from './entities/membership.ts';
import { OrganizationSchema } from './entities/organization.ts';
import { OutboxEntrySchema } from './entities/outbox-entry.ts';
import { ProcessSchema } from './entities/process.ts';
import {
  ProviderAccountSchema,
  ProviderPasskeySchema,
  ProviderRecoveryCodeSchema,
} from './entities/provider-account.ts';
import { ProviderKeySchema, ProviderRecordSchema } from './entities/provider-record.ts';
import { RatePermitSchema } from './entities/rate-permit.ts';
import { SessionSchema } from './entities/session.ts';
import { SignInAttemptSchema } from './entities/sign-in-attempt.ts';
import { SignInLinkSchema } from './entities/sign-in-link.ts';
import { StreamLeaseSchema } from './entities/stream-lease.ts';
import { TeamMemberSchema, TeamSchema } from './entities/team.ts';
import { ExchangedTokenSchema, TrustedIssuerSchema } from './entities/trusted-issuer.ts';

/** Every entity there is. The tables' types, the migrations and the purge are made from this list. */
export const schemas = [
  InstallationSchema,
  DeletionSchema,
  OrganizationSchema,
  AppUserSchema,
  IdentitySchema,
  MembershipSchema,
  SessionSchema,
  InvitationSchema,
  SignInLinkSchema,
  SignInAttemptSchema,
  ApiTokenSchema,
  ApiTokenProjectSchema,
  TrustedIssuerSchema,
  ExchangedTokenSchema,
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
  ProviderAccountSchema,
  ProviderPasskeySchema,
  ProviderRecoveryCodeSchema,
  ProviderRecordSchema,
  ProviderKeySchema,
  ClusterSchema,
  ClusterAgentSchema,
  EnrollmentTokenSchema,
  ClusterSliceSchema,
  IngressHostSchema,
  ObservedSliceSchema,
  ClusterCommandSchema,
  CommandOutputSchema,
  ClusterEventSchema,
  AgentUpdateSchema,
  AgentReleaseSchema,
] as const;
