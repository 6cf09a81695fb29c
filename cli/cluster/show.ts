import type { z } from 'zod';
import type { agentStatusSchema } from '../../api/agents/operations.ts';
import { command } from '../engine/command.ts';
import { asLines } from '../engine/table.ts';
import { type Cluster, chosenCluster, clusterOptions } from './chosen-cluster.ts';

type AgentStatus = z.output<typeof agentStatusSchema>;

export const clusterShow = command({
  summary: 'Shows a cluster: its state, its agent and what it can do',
  usage: '[--cluster SLUG] [--json]',
  options: clusterOptions,
  run: async (given) => {
    const { rest, path } = await chosenCluster(given);
    const cluster = await rest.call<Cluster>('GET', path);
    const agent = await rest.call<AgentStatus>('GET', `${path}/agent`);
    if (given.json) process.stdout.write(`${JSON.stringify({ cluster, agent }, undefined, 2)}\n`);
    else process.stdout.write(asLines(facts(cluster, agent)));
  },
});

function limitsOf({ buildLimits }: Cluster): string {
  if (buildLimits === undefined) return '';
  const { memoryBytes, diskBytes, seconds, cpuMilli } = buildLimits;
  const cpu = cpuMilli === undefined ? [] : [`${cpuMilli / 1000} cores`];
  const most = [
    `${gigabytes(memoryBytes)} of memory`,
    `${gigabytes(diskBytes)} of disk`,
    `${seconds / 60} min`,
    ...cpu,
  ];
  return `at most ${most.join(', ')}`;
}

function gigabytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 30 / 0.1) / 10} GB`;
}

function facts(cluster: Cluster, agent: AgentStatus): [string, string][] {
  const can = Object.entries(cluster.capabilities).flatMap(([name, value]) => (value === true ? [name] : []));
  const update = agent.inProgress === undefined ? '' : `, being replaced by ${agent.inProgress.toImage}`;
  const offered = agent.updateAvailable ? ` (${agent.availableImage} is available)` : '';
  return [
    ['cluster', `${cluster.slug} "${cluster.name}" ${cluster.id}`],
    ['status', [cluster.status, cluster.message].filter((text) => text !== '').join(': ')],
    ['agent', `${agent.currentImage || 'none yet'}${update}${offered}`],
    ['heard of', cluster.lastHeartbeatAt ?? 'never'],
    ['driver', [cluster.driver, cluster.runtimeVersion].filter((text) => text !== '').join(', ')],
    ['nodes', String(cluster.nodeCount)],
    ['revision', `${cluster.appliedRevision} of ${cluster.desiredRevision} in effect`],
    ['can', can.join(', ')],
    ['builds get', limitsOf(cluster)],
    ['reconcile error', cluster.reconcileError],
    ['compile error', cluster.compileError],
    ...cluster.notes.map((note): [string, string] => ['note', note]),
  ];
}
