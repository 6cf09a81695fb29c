import { enrolAgent } from '../../db/agents/cluster-agents.ts';
import { type Author, effect } from '../../db/engine/effect.ts';
import { Problem } from '../../domain/problems.ts';
import { type EnrolAnswer, enrolRequest } from '../../protocol/agent.ts';
import { agree } from '../../protocol/version.ts';
import { rateClasses } from '../engine/limits/rate-classes.ts';
import { openRoute } from './agent-route.ts';

/** Takes an agent on for the cluster whose token it shows. */
export const enrol = openRoute({
  method: 'POST',
  url: 'enrol',
  body: enrolRequest,
  async admit({ server, from }) {
    await server.rates.spend('agent-enrol', from.address, rateClasses.credentials);
  },
  async handle({ server, body, from, request }): Promise<EnrolAnswer> {
    const agreed = agree(body.protocol);
    if ('refused' in agreed) throw new Problem('protocol-too-old', agreed.refused);
    const { token, credentialHash, version, hostname } = body;
    const author: Author = {
      kind: 'machine',
      id: 'agent',
      name: `agent on ${hostname}`,
      ip: from.address,
      requestId: request.id,
    };
    const enrolment = { token, credentialHash: Buffer.from(credentialHash, 'hex'), version, hostname };
    const { id, name } = await effect(server.database, author, (enrolling) => enrolAgent(enrolling, enrolment));
    return {
      clusterId: id,
      clusterName: name,
      publicUrl: server.settings.PUBLIC_URL,
      controlPlaneVersion: server.version,
    };
  },
});
