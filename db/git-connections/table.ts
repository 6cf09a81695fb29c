import { defineEntity, p } from '@mikro-orm/core';
import { gitConnectionKinds, gitProviders } from '../../domain/git/connections.ts';
import { type ForeignKey, partOf, toOrganization } from '../postgres/foreign-key.ts';

/** A host of repositories, with the token that reads them there and the secret that signs what it tells of pushes. */
const GitConnectionSchema = defineEntity({
  name: 'git_connection',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    kind: p.enum(gitConnectionKinds),
    provider: p.enum(gitProviders),
    /** `git.example.com`, with the port if it is not the usual one. */
    host: p.text(),
    label: p.text(),
    /** Whose token it is, by the host's word. */
    accountLogin: p.text().default(''),
    /** The token, encrypted with the organization's key. */
    sealed: p.blob().$type<Buffer>(),
    /** The secret of its webhook, likewise. */
    sealedWebhook: p.blob().$type<Buffer>(),
    /** Of what Ballast asks for, the rights that the token lacks. */
    missingPermissions: p.array<string>().default([]),
    lastError: p.text().default(''),
    lastDeliveryStatus: p.text().default(''),
    lastDeliveryAt: p.datetime(3).nullable(),
    verifiedAt: p.datetime(3).nullable(),
    /** Else those of git_allowed_project alone: a list that becomes empty allows none. */
    allProjects: p.boolean().default(true),
    createdBy: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  uniques: [
    { properties: ['organizationId', 'id'] },
    {
      name: 'git_connection_organization_id_label_unique',
      expression:
        'create unique index "git_connection_organization_id_label_unique" on "git_connection" ("organization_id", lower("label"))',
    },
  ],
  indexes: [{ name: 'git_connection_page_index', properties: ['organizationId', 'createdAt', 'id'] }],
});

/** A project whose services may be built by a connection that is not for all of them. */
const GitAllowedProjectSchema = defineEntity({
  name: 'git_allowed_project',
  properties: {
    gitConnectionId: p.uuid().primary(),
    projectId: p.uuid().primary(),
    organizationId: p.uuid(),
  },
  indexes: [{ properties: ['organizationId', 'projectId'] }],
});

/** A message of a webhook that was taken: the same one again changes nothing. Kept for a month. */
const GitDeliverySchema = defineEntity({
  name: 'git_delivery',
  properties: {
    gitConnectionId: p.uuid().primary(),
    /** As the host names the message; of one without a name, the digest of its bytes. */
    name: p.text().primary(),
    organizationId: p.uuid(),
    receivedAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [{ properties: ['receivedAt'] }, { properties: ['organizationId'] }],
});

export const gitConnections = [GitConnectionSchema, GitAllowedProjectSchema, GitDeliverySchema] as const;

export const foreignKeys: readonly ForeignKey[] = [
  toOrganization('git_connection'),
  partOf('git_allowed_project', 'git_connection_id', 'git_connection'),
  partOf('git_allowed_project', 'project_id', 'project'),
  partOf('git_delivery', 'git_connection_id', 'git_connection'),
];
