import { defineEntity, p } from '@mikro-orm/core';
import { agentUpdateStates } from '../../workflows/agent-update/descriptor.ts';
import type { JsonObject } from '../postgres/json.ts';

/** One attempt to put another release of the agent on a cluster: the row of the actor `agent-update/<id>`. */
const AgentUpdateSchema = defineEntity({
  name: 'agent_update',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    clusterId: p.uuid(),
    kind: p.enum(['update', 'rollback']),
    fromImage: p.text(),
    toImage: p.text(),
    requestedByKind: p.enum(['user', 'token', 'machine', 'actor']),
    requestedById: p.text(),
    requestedByName: p.text(),
    state: p.enum(agentUpdateStates).default('requested'),
    revision: p.integer().default(0),
    message: p.text().nullable(),
    blocker: p.text().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    finishedAt: p.datetime(3).nullable(),
    archivedAt: p.datetime(3).nullable(),
  },
  uniques: [
    // One at a time.
    { name: 'agent_update_open_unique', properties: ['clusterId'], where: 'finished_at is null' },
  ],
  indexes: [
    { properties: ['clusterId', 'createdAt', 'id'] },
    { properties: ['organizationId', 'createdAt', 'id'] },
    {
      name: 'agent_update_without_archive_index',
      properties: ['finishedAt'],
      where: 'finished_at is not null and archived_at is null',
    },
  ],
});

/** A release of the agent that the control plane serves: the same for every organization. */
const AgentReleaseSchema = defineEntity({
  name: 'agent_release',
  properties: {
    /** `ballast-agent:<version>-<first 12 digits of the digest>`. */
    image: p.text().primary(),
    version: p.text(),
    digest: p.text().unique('agent_release_digest_unique'),
    sizeBytes: p.integer(),
    bytes: p.blob().$type<Buffer>(),
    /** The statement about it, signed by the installation's key, and that key. Without one it is offered to nobody. */
    proof: p.json<JsonObject>().nullable(),
    /** The one that clusters are told is available: the newest that came with a control plane. */
    offered: p.boolean().default(true),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

export const agentUpdates = [AgentUpdateSchema, AgentReleaseSchema] as const;
