import { currentRelease } from '../../db/agent-updates/agent-releases.ts';
import { followRelease } from '../../db/agent-updates/follow-release.ts';
import { welcomeAgent } from '../../db/agents/cluster-agents.ts';
import { effect } from '../../db/engine/effect.ts';
import type { JsonObject } from '../../db/postgres/json.ts';
import { heartbeatSeconds } from '../../domain/clusters/clusters.ts';
import { Problem } from '../../domain/problems.ts';
import { type HelloAnswer, helloRequest } from '../../protocol/agent.ts';
import { trust } from '../../protocol/release-proof.ts';
import { agree } from '../../protocol/version.ts';
import { agentRoute, tooMany } from './agent-route.ts';
import { Pace } from './pace.ts';

/** Each hello creates an incarnation and wakes an update's actor: an agent that keeps restarting is slowed down. */
const hellos = new Pace({ perSecond: 0.5, atOnce: 30 });

/** An agent has started. It gets the next incarnation, and the agent that spoke for the cluster before is refused. */
export const hello = agentRoute({
  method: 'POST',
  url: 'hello',
  body: helloRequest,
  bodyLimit: 1024 * 1024,
  async handle({ server, body }, agent): Promise<HelloAnswer> {
    if (!hellos.allows(agent.clusterId)) throw tooMany(2);
    const agreed = agree(body.protocol);
    if ('refused' in agreed) throw new Problem('protocol-too-old', agreed.refused);
    const { version, image, journalId, journalled, returned } = body;
    const facts: JsonObject = JSON.parse(JSON.stringify(body.facts));
    const said = { minor: agreed.minor, version, image, journalId, journalled, facts, returned };
    const { incarnation } = await effect(server.database, agent.author, (welcoming) =>
      welcomeAgent(welcoming, agent.cluster, agent.credentialHash, said),
    );
    // Not within the welcome: whether it can be updated is no reason to refuse it.
    await followRelease(server.database, agent.cluster).catch((error: unknown) => {
      server.log.warn({ err: error }, 'The agent of the local cluster was not asked to update');
    });
    const keys = trust.safeParse((await currentRelease(server.database.kysely))?.proof).data;
    return {
      incarnation,
      minor: agreed.minor,
      clusterId: agent.clusterId,
      clusterName: agent.clusterName,
      heartbeatSeconds,
      ingressDomain: server.settings.INGRESS_DOMAIN,
      ...(keys === undefined ? {} : { trust: keys }),
    };
  },
});
