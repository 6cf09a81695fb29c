import { defineEntity, p } from '@mikro-orm/core';
import { agentUpdateStates } from '../../workflows/agent-update/descriptor.ts';
import { actorRow, requestedBy, withoutArchive } from '../engine/actor-row.ts';
import type { JsonObject } from '../postgres/json.ts';

/** One attempt to put another release of the agent on a cluster: the row of the actor `agent-update/<id>`. */
const AgentUpdateSchema = defineEntity({
  name: 'agent_update',
  properties: {
    ...actorRow,
    clusterId: p.uuid(),
    kind: p.enum(['update', 'rollback']),
    fromImage: p.text(),
    toImage: p.text(),
    ...requestedBy,
    state: p.enum(agentUpdateStates).default('requested'),
  },
  uniques: [
    // One at a time.
    { name: 'agent_update_open_unique', properties: ['clusterId'], where: 'finished_at is null' },
  ],
  indexes: [
    { properties: ['clusterId', 'createdAt', 'id'] },
    { properties: ['organizationId', 'createdAt', 'id'] },
    withoutArchive('agent_update'),
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
