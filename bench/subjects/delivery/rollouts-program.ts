import { setTimeout as pause } from 'node:timers/promises';
import { rolloutPhases } from '../../../domain/deployments/stages.ts';
import type { ObservedRollout } from '../../../protocol/observed.ts';
import { PeerAgent } from '../../../test/agents/peer-agent.ts';

/** An agent without a machine: each rollout that it is told of goes through its phases as fast as they can be reported. */
export interface SimulatedRollouts {
  url: string;
  token: string;
}

interface Rolling {
  rollout: ObservedRollout;
  revision: number;
}

const heartbeatMillis = 5_000;
const forwards = rolloutPhases.filter((phase) => phase !== 'returned');

async function main({ url, token }: SimulatedRollouts): Promise<void> {
  const peer = new PeerAgent(url);
  await peer.join(token);
  void beat(peer);
  const rolling = new Map<string, Rolling>();
  const done = new Set<string>();
  let reporting = Promise.resolve();
  let revision = 0;
  for (let since = 0; ; ) {
    const { desired } = await peer.work(since, 25);
    if (desired === undefined) continue;
    since = desired.revision;
    revision = desired.revision;
    for (const { key, revision: wanted, workload } of desired.slices) {
      const { rollout } = workload;
      if (rollout === undefined || done.has(rollout.id)) continue;
      done.add(rollout.id);
      rolling.set(key, { rollout: { ...rollout, phase: 'preparing', at: {} }, revision: wanted });
    }
    reporting = reporting.then(report);
  }

  /** Until nothing rolls any more, each report brings all rollouts one phase further, as an agent's does. */
  async function report(): Promise<void> {
    while (rolling.size > 0) {
      const now = new Date().toISOString();
      const slices = [...rolling].map(([key, { rollout, revision: appliedRevision }]) => {
        const begun = forwards.filter((phase) => rollout.at[phase] === undefined);
        const phase = begun[0] ?? 'done';
        rollout.phase = phase;
        rollout.at[phase] = now;
        if (phase === 'done') rolling.delete(key);
        return { key, appliedRevision, instances: [], volumes: [], traffic: [], rollout: structuredClone(rollout) };
      });
      await peer.report(slices, { appliedRevision: revision });
    }
  }
}

async function beat(peer: PeerAgent): Promise<never> {
  for (;;) {
    await peer.heartbeat();
    await pause(heartbeatMillis);
  }
}

await main(JSON.parse(process.argv[2] ?? '{}'));
