import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { RunningAgent } from '../../test/agents/running-agent.ts';
import { until } from '../../test/ground/until.ts';
import { patient } from '../../test/run/patience.ts';

const agent = new RunningAgent();

// Each case kills an agent at one state: the command ends done, failed or unknown, and never runs twice.
test.each(['received', 'started', 'finished', 'told'] as const)(
  'an agent that is killed when a command is %s tells how it went, and runs it once at most',
  async (moment) => {
    const { peer } = agent;
    const name = `killed-${moment}`;
    const id = agent.command(agent.exec(name, 0.3));
    const state = () => agent.journalled(id);
    const reached = {
      received: () => state() !== undefined,
      started: () => state() === 'started',
      finished: () => state() === 'finished' || state() === 'gone',
      told: () => peer.results.some((result) => result.id === id),
    }[moment];
    if (moment === 'told') peer.disturb = (asked) => (asked.endsWith('/result') ? 'cut-after' : undefined);
    // Some last for milliseconds, so it is looked for more often than `until` does.
    for (const began = Date.now(); !reached(); await pause(1)) {
      if (Date.now() - began > patient(60_000)) throw new Error(`The command is never ${moment}.`);
    }
    await agent.kill();
    peer.disturb = () => undefined;
    agent.start();
    const result = await agent.resultOf(id);
    await until('acknowledged', async () => agent.journalled(id) === 'gone');
    expect(new Set(peer.results.filter((one) => one.id === id).map((one) => one.result.outcome)).size).toBe(1);
    expect(agent.runs(name)).toBeLessThanOrEqual(1);
    if (result.outcome === 'done') expect(agent.runs(name)).toBe(1);
    else expect(result.outcome).toBe('unknown');
    if (moment === 'told') expect(result).toMatchObject({ outcome: 'done', exitCode: 7 });
    // The instance noticed nothing of all this.
    await until('the instance', async () => agent.running()?.id === agent.instance);
    expect(agent.running()?.run).toBe(1);
  },
);
