import { AgentReleaseSchema, AgentUpdateSchema } from './agent-updates/agent-update.ts';
import { ClusterAgentSchema, EnrollmentTokenSchema } from './agents/cluster-agent.ts';
import { ApiTokenProjectSchema, ApiTokenSchema } from './api-tokens/api-token.ts';
import { ClusterSchema } from './clusters/cluster.ts';
import { ClusterEventSchema } from './clusters/cluster-event.ts';
import { ClusterCommandSchema, CommandOutputSchema } from './commands/cluster-command.ts';
import { DeletionSchema } from './deletions/deletion.ts';
import { HistoryArchivePageSchema } from './engine/archive/history-archive-page.ts';
import { AuditRecordSchema } from './engine/audit-record.ts';
import { ChangeFeedEntrySchema } from './engine/feed/change-feed-entry.ts';
import { IdempotentAnswerSchema } from './engine/idempotent-answer.ts';
import { RatePermitSchema } from './engine/limits/rate-permit.ts';
import { StreamLeaseSchema } from './engine/limits/stream-lease.ts';
import { OutboxEntrySchema } from './engine/outbox-entry.ts';
import { ProcessSchema } from './engine/process.ts';
import {
  ProviderAccountSchema,
  ProviderPasskeySchema,
  ProviderRecoveryCodeSchema,
} from './identity-provider/provider-account.ts';
import { ProviderKeySchema, ProviderRecordSchema } from './identity-provider/provider-record.ts';
import { InstallationSchema } from './installation/installation.ts';
import { InvitationSchema } from './invitations/invitation.ts';
import { DataKeySchema } from './keys/data-key.ts';
import { MembershipSchema } from './members/membership.ts';
import { OrganizationSchema } from './organizations/organization.ts';
import { IdentitySchema } from './sign-in/identity.ts';
import { SessionSchema } from './sign-in/session.ts';
import { SignInAttemptSchema } from './sign-in/sign-in-attempt.ts';
import { SignInLinkSchema } from './sign-in/sign-in-link.ts';
import { TeamMemberSchema, TeamSchema } from './teams/team.ts';
import { ExchangedTokenSchema, TrustedIssuerSchema } from './trusted-issuers/trusted-issuer.ts';
import { AppUserSchema } from './users/app-user.ts';
import { ClusterSliceSchema, IngressHostSchema, ObservedSliceSchema } from './workloads/cluster-slice.ts';

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
