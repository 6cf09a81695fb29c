import { defineEntity, p } from '@mikro-orm/core';
import { type ForeignKey, toRow } from '../postgres/foreign-key.ts';
import type { JsonObject } from '../postgres/json.ts';

/** The agent of a cluster, as it enrolled, said hello and last reported. Written often, so it is no part of the cluster. */
const ClusterAgentSchema = defineEntity({
  name: 'cluster_agent',
  properties: {
    clusterId: p.uuid().primary(),
    organizationId: p.uuid(),
    /** SHA-256 of its credential; null while none is enrolled. */
    credentialHash: p.blob().$type<Buffer>().nullable(),
    /** The one it is changing to: becomes the credential when it is used for the first time. */
    nextCredentialHash: p.blob().$type<Buffer>().nullable(),
    credentialSince: p.datetime(3).nullable(),
    enrolledAt: p.datetime(3).nullable(),
    /** The contact that the sweeper and the hello have reported to the actor. */
    contact: p.enum(['never', 'connected', 'lost']).default('never'),
    incarnation: p.integer().default(0),
    /** Names the journal that delivered commands are in. */
    journalId: p.uuid().nullable(),
    protocolMinor: p.integer().default(0),
    version: p.text().nullable(),
    image: p.text().nullable(),
    facts: p.json<JsonObject>().nullable(),
    connectedAt: p.datetime(3).nullable(),
    lastHeartbeatAt: p.datetime(3).nullable(),
    /** The last report of this incarnation. */
    reportNumber: p.integer().default(0),
    appliedRevision: p.integer().default(0),
    /** Why it cannot bring the machine to what shall be; null while it can. */
    error: p.text().nullable(),
    /** The file system of its data, as it last told; `pressure`: unused images and old logs are deleted early. */
    disk: p.json<JsonObject>().nullable(),
    /** The last trouble reported to the actor, which hears transitions only. */
    toldTrouble: p.text().nullable(),
    /** The release whose availability was told to the people of the cluster; each is told once. */
    updateToldFor: p.text().nullable(),
  },
  uniques: [{ properties: ['credentialHash'] }, { properties: ['nextCredentialHash'] }],
  indexes: [{ properties: ['organizationId'] }],
});

/** Enrols one agent for one cluster, once. */
const EnrollmentTokenSchema = defineEntity({
  name: 'enrollment_token',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    clusterId: p.uuid(),
    secretHash: p.blob().$type<Buffer>().unique('enrollment_token_secret_hash_unique'),
    createdAt: p.datetime(3).defaultRaw('now()'),
    expiresAt: p.datetime(3),
    usedAt: p.datetime(3).nullable(),
    /** Whose request used it: the same agent may ask again, when the answer was lost. */
    usedByCredentialHash: p.blob().$type<Buffer>().nullable(),
  },
  indexes: [{ properties: ['organizationId', 'clusterId'] }, { properties: ['expiresAt'] }],
});

export const agents = [ClusterAgentSchema, EnrollmentTokenSchema] as const;

export const foreignKeys: readonly ForeignKey[] = [
  toRow('cluster_agent', 'cluster_id', 'cluster'),
  toRow('enrollment_token', 'cluster_id', 'cluster'),
];
