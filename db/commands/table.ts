import { defineEntity, p } from '@mikro-orm/core';
import { commandStates } from '../../domain/clusters/clusters.ts';
import { requestedBy } from '../engine/actor-row.ts';
import { type ForeignKey, partOf, toRow } from '../postgres/foreign-key.ts';
import type { JsonObject } from '../postgres/json.ts';

/** Something that an agent does once: see protocol/command.ts. */
const ClusterCommandSchema = defineEntity({
  name: 'cluster_command',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    clusterId: p.uuid(),
    kind: p.text(),
    /** The body, encrypted with the organization's key: what people run may hold secrets. */
    sealedBody: p.blob().$type<Buffer>(),
    state: p.enum(commandStates).default('queued'),
    attempt: p.integer().default(1),
    /** The journal that the command was delivered to: only an agent with this journal may continue it. */
    journalId: p.uuid().nullable(),
    leaseUntil: p.datetime(3).nullable(),
    cancelRequestedAt: p.datetime(3).nullable(),
    exitCode: p.integer().nullable(),
    message: p.text().nullable(),
    /** Of a backup: `storedArchive` of protocol/volume.ts. */
    stored: p.json<JsonObject>().nullable(),
    /** The actor that waits for the result. */
    actorId: p.text().nullable(),
    ...requestedBy,
    createdAt: p.datetime(3).defaultRaw('now()'),
    /** Not taken by then, it is not done any more. */
    expiresAt: p.datetime(3),
    deliveredAt: p.datetime(3).nullable(),
    finishedAt: p.datetime(3).nullable(),
  },
  uniques: [{ properties: ['organizationId', 'id'] }],
  indexes: [
    { name: 'cluster_command_open_index', properties: ['clusterId', 'createdAt'], where: 'finished_at is null' },
    { name: 'cluster_command_organization_id_index', properties: ['organizationId', 'createdAt'] },
    { properties: ['finishedAt'], where: 'finished_at is not null' },
  ],
});

const CommandOutputSchema = defineEntity({
  name: 'command_output',
  properties: {
    commandId: p.uuid().primary(),
    number: p.integer().primary(),
    organizationId: p.uuid(),
    stream: p.enum(['stdout', 'stderr', 'progress']),
    data: p.blob().$type<Buffer>(),
    /** Whether `data` is sealed; rows of 0.1.0 are not. */
    sealed: p.boolean().default(false),
    at: p.datetime(3).nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [{ properties: ['organizationId'] }, { properties: ['createdAt'] }],
});

export const commands = [ClusterCommandSchema, CommandOutputSchema] as const;

export const foreignKeys: readonly ForeignKey[] = [
  toRow('cluster_command', 'cluster_id', 'cluster'),
  partOf('command_output', 'command_id', 'cluster_command'),
];
