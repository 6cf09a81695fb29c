import { acceptReport } from '../../db/agents/reports.ts';
import { effect } from '../../db/engine/effect.ts';
import { report as reportBody } from '../../protocol/observed.ts';
import { maskFailures } from '../logs/mask-failures.ts';
import { superseded } from './admit-agent.ts';
import { incarnationRoute } from './agent-route.ts';
import { mustFit } from './must-fit.ts';
import { Pace } from './pace.ts';

/**
 * How often a cluster's actor is told of trouble that comes and goes. What it is not told now is found out with a later
 * report: everything is reported again every ten minutes.
 */
const troubles = new Pace({ perSecond: 1 / 30, atOnce: 10 });

/** The agent's observations. A report that was seen already is answered and changes nothing. */
export const report = incarnationRoute({
  method: 'POST',
  url: 'report',
  body: reportBody,
  bodyLimit: 4 * 1024 * 1024,
  async handle({ server, body }, agent, incarnation): Promise<void> {
    mustFit('body', body.number, body.appliedRevision, ...body.slices.map(({ appliedRevision }) => appliedRevision));
    const masked = await maskFailures(server, agent.cluster.organizationId, body);
    const accepted = await effect(server.database, agent.author, (accepting) =>
      acceptReport(accepting, agent.cluster, incarnation, masked, () => troubles.allows(agent.clusterId)),
    );
    if (accepted === 'superseded') throw await superseded(server, agent, incarnation);
    if (accepted === 'changed') server.heartbeats.changed(agent.cluster);
  },
});
