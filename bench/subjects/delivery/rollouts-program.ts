import { setTimeout as pause } from 'node:timers/promises';
import { gatherMillis } from '../../../agent/keep/news.ts';
import { rolloutPhases } from '../../../domain/deployments/states.ts';
import type { ObservedRollout } from '../../../protocol/observed.ts';
import { PeerAgent } from '../../../test/agents/peer-agent.ts';

/**
 * An agent without a machine: each rollout that it is told of takes a few milliseconds for each phase, and is reported as
 * agents do, who gather their news.
 */
export interface SimulatedRollouts {
  url: string;
  token: string;
}

interface Rolling {
  rollout: ObservedRollout;
  revision: number;
  since: number;
}

const heartbeatMillis = 5_000;
const phaseMillis = 100;
/** Its releases have no release command. */
const forwards = rolloutPhases.filter((phase) => phase !== 'returned' && phase !== 'releasing');

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
      rolling.set(key, { rollout: { ...rollout, phase: 'preparing', at: {} }, revision: wanted, since: Date.now() });
    }
    reporting = reporting.then(report);
  }

  async function report(): Promise<void> {
    while (rolling.size > 0) {
      const next = performance.now() + gatherMillis;
      const slices = [...rolling].flatMap(([key, { rollout, revision: appliedRevision, since: begun }]) => {
        const reached = forwards.filter((_, index) => begun + index * phaseMillis <= Date.now());
        const news = reached.filter((phase) => rollout.at[phase] === undefined);
        for (const phase of news) {
          rollout.phase = phase;
          rollout.at[phase] = new Date(begun + forwards.indexOf(phase) * phaseMillis).toISOString();
        }
        if (rollout.phase === 'done') rolling.delete(key);
        const slice = {
          key,
          appliedRevision,
          instances: [],
          volumes: [],
          traffic: [],
          rollout: structuredClone(rollout),
        };
        return news.length === 0 ? [] : [slice];
      });
      await peer.report(slices, { appliedRevision: revision });
      await pause(Math.max(0, next - performance.now()));
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
