import { setTimeout as pause } from 'node:timers/promises';
import type { z } from 'zod';
import type { agentStatusSchema, agentUpdateSchema } from '../api/agents/operations.ts';
import type { clusterEventSchema } from '../api/cluster-events/operations.ts';
import type { clusterCreatedSchema, clusterSchema, enrollmentTokenSchema } from '../api/clusters/cluster.ts';
import { defined } from '../domain/defined.ts';
import { deletion, yesOption } from './deleted.ts';
import { command, type Option, UsageError } from './engine/command.ts';
import { foundBy, wholeNumberOf } from './engine/given.ts';
import { listed, type Outcome } from './engine/outcome.ts';
import { Events, eventsOption, Progress } from './engine/progress.ts';
import { type Address, Rest, RestRefusal, restOptions } from './engine/rest.ts';
import { asFacts } from './engine/table.ts';

export type Cluster = z.output<typeof clusterSchema>;

/** Options of every command about one cluster. */
export const clusterOptions = {
  cluster: { type: 'string', value: 'SLUG', what: 'Slug or id of the cluster; else the only one, or `local`.' },
  ...restOptions,
} as const satisfies Record<string, Option>;

/** The cluster that a command is about, and the API it is asked at. */
export async function chosenCluster(
  given: Address & { cluster?: string | undefined },
): Promise<{ rest: Rest; cluster: Cluster; path: string }> {
  const rest = new Rest(given);
  const clusters = await rest.all<Cluster>('/clusters');
  const cluster = chosen(clusters, given.cluster);
  return { rest, cluster, path: `/clusters/${cluster.id}` };
}

function chosen(clusters: Cluster[], wanted: string | undefined): Cluster {
  const slugs = clusters.map(({ slug }) => slug);
  if (clusters.length === 0) throw new UsageError('There is no cluster yet; see `./ballast cluster create`.');
  if (wanted === undefined) {
    const found = clusters.length === 1 ? clusters[0] : clusters.find(({ local }) => local);
    if (found !== undefined) return found;
    throw new UsageError(`There are several clusters; say which one by --cluster: ${slugs.join(', ')}.`);
  }
  const found = clusters.find(({ id, slug }) => slug === wanted || id === wanted.toLowerCase());
  return foundBy(wanted, 'cluster', found, slugs);
}

/** Only the command goes to the standard output, so that it can be sent on to the machine. */
function toEnrol(made: { installCommand: string; expiresAt: string }, text: string): Outcome {
  const above = `${text} Run this on the machine, before ${made.expiresAt}:`;
  return { json: made, text: made.installCommand, above };
}

export const clusterCreate = command({
  summary: 'Creates a cluster and prints the command that joins a machine to it',
  usage: 'NAME [--region TEXT] [--json]',
  options: { region: { type: 'string', value: 'TEXT', what: 'Where its machines are.' }, ...restOptions },
  run: async ({ region, ...given }, [name = '']) => {
    const body = defined({ name, region });
    const made = await new Rest(given).call<z.output<typeof clusterCreatedSchema>>('POST', '/clusters', body);
    return toEnrol(made, `The cluster ${made.cluster.slug} waits for its agent.`);
  },
});

export const clusterDelete = command({
  summary: 'Deletes an empty cluster',
  usage: '--cluster SLUG [--yes] [--json]',
  details:
    'Asks for its name; elsewhere than at a terminal `--yes` is the answer. Its agent leaves, and nobody can restore it.',
  options: { ...yesOption(), ...clusterOptions },
  run: async ({ yes, ...given }) => {
    // Irreversible: the cluster is never guessed.
    if (given.cluster === undefined) throw new UsageError('Say which cluster by --cluster, such as --cluster berlin.');
    const { rest, cluster, path } = await chosenCluster(given);
    const { id, slug, name } = cluster;
    const text = `The cluster ${slug} is being deleted.`;
    return await deletion(rest, { noun: 'cluster', called: slug, name, path, yes, deleted: { id, slug }, text });
  },
});

type Event = z.output<typeof clusterEventSchema>;

export const clusterEvents = command({
  summary: 'Shows the events of a cluster, the latest last',
  usage: '[--cluster SLUG] [--tail N] [--json]',
  options: {
    tail: { type: 'string', value: 'N', what: 'The last N events; 50 by default.' },
    ...clusterOptions,
  },
  run: async ({ tail, ...given }) => {
    const most = wholeNumberOf('--tail', tail, 1, 10_000) ?? 50;
    const { rest, path } = await chosenCluster(given);
    const events = (await rest.all<Event>(`${path}/events`, most)).toReversed();
    return listed({ events }, 'Nothing has happened there yet.', { at: 'at', event: 'kind', '': sayings });
  },
});

function sayings({ payload }: Event): string {
  return Object.entries(payload ?? {})
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}

export const clusterList = command({
  summary: 'Lists the clusters of the organization',
  usage: '[--query TEXT] [--json]',
  options: {
    query: { type: 'string', short: 'q', value: 'TEXT', what: 'Only those with these words in their name or region.' },
    ...restOptions,
  },
  run: async ({ query: q, ...given }) => {
    const clusters = await new Rest(given).all<Cluster>('/clusters', undefined, defined({ q }));
    const none = 'There is no cluster yet; see `./ballast cluster create`.';
    return listed({ clusters }, q === undefined ? none : 'There are no such clusters.', {
      slug: 'slug',
      name: 'name',
      status: 'status',
      driver: 'driver',
      agent: 'agentVersion',
      'heard of': ({ lastHeartbeatAt }) => lastHeartbeatAt ?? 'never',
    });
  },
});

type Attempt = z.output<typeof agentUpdateSchema>;

/** Says how an agent's update goes, and fails with its sentence if it does. */
async function followedUpdate(
  rest: Rest,
  path: string,
  begun: Attempt,
  { wait, json = false }: { wait: boolean; json: boolean | undefined },
): Promise<Outcome> {
  const ended = wait ? await over(rest, path, begun, json) : begun;
  const { fromImage, toImage, status, message } = ended;
  const failed = wait && status !== 'succeeded';
  return {
    json: ended,
    text: `${fromImage} to ${toImage}: ${status}`,
    failure: failed ? new RestRefusal(message || `The update of the agent is ${status}.`) : undefined,
  };
}

async function over(rest: Rest, path: string, begun: Attempt, json: boolean): Promise<Attempt> {
  const progress = new Progress(process.stderr);
  const events = new Events();
  try {
    for (let attempt = begun; ; ) {
      const { id, fromImage, toImage, status, message, finishedAt } = attempt;
      if (json) events.tell('agent-update', id, { updateId: id, fromImage, toImage, status, message });
      if (finishedAt !== undefined) return attempt;
      if (!json) progress.running('update', `the agent's update is ${status}`);
      await pause(1000);
      const { history } = await rest.call<z.output<typeof agentStatusSchema>>('GET', `${path}/agent`);
      attempt = history.find(({ id }) => id === begun.id) ?? attempt;
    }
  } finally {
    progress.end();
  }
}

export const clusterRollback = command({
  summary: "Rolls a cluster's agent back to an earlier release",
  usage: 'IMAGE [--cluster SLUG] [--no-wait] [--json]',
  details: 'Earlier releases are in the history of `./ballast cluster show --json`.',
  options: {
    'no-wait': { type: 'boolean', what: 'Do not wait until it has finished.' },
    ...clusterOptions,
    ...eventsOption,
  },
  run: async ({ 'no-wait': noWait = false, ...given }, [image = '']) => {
    const { rest, path } = await chosenCluster(given);
    const attempt = await rest.call<Attempt>('POST', `${path}/agent/rollback`, { image });
    return await followedUpdate(rest, path, attempt, { wait: !noWait, json: given.json });
  },
});

type AgentStatus = z.output<typeof agentStatusSchema>;

export const clusterShow = command({
  summary: 'Shows a cluster: its state, its agent and what it can do',
  usage: '[--cluster SLUG] [--json]',
  options: clusterOptions,
  run: async (given) => {
    const { rest, path } = await chosenCluster(given);
    const cluster = await rest.call<Cluster>('GET', path);
    const agent = await rest.call<AgentStatus>('GET', `${path}/agent`);
    return { json: { cluster, agent }, text: factsText(cluster, agent) };
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

function factsText(cluster: Cluster, agent: AgentStatus): string {
  const can = Object.entries(cluster.capabilities).flatMap(([name, value]) => (value === true ? [name] : []));
  const update = agent.inProgress === undefined ? '' : `, being replaced by ${agent.inProgress.toImage}`;
  const offered = agent.updateAvailable ? ` (${agent.availableImage} is available)` : '';
  return asFacts({
    cluster: `${cluster.slug} "${cluster.name}" ${cluster.id}`,
    status: [cluster.status, cluster.message].filter((text) => text !== '').join(': '),
    agent: `${agent.currentImage || 'none yet'}${update}${offered}`,
    'heard of': cluster.lastHeartbeatAt ?? 'never',
    driver: [cluster.driver, cluster.runtimeVersion].filter((text) => text !== '').join(', '),
    nodes: cluster.nodeCount,
    revision: `${cluster.appliedRevision} of ${cluster.desiredRevision} in effect`,
    can: can.join(', '),
    'builds get': limitsOf(cluster),
    'reconcile error': cluster.reconcileError,
    'compile error': cluster.compileError,
    note: cluster.notes,
  });
}

export const clusterToken = command({
  summary: 'Creates another enrollment token and prints the command that uses it',
  usage: '[--cluster SLUG] [--json]',
  details: 'An enrolled agent is replaced by the one that uses the token.',
  options: clusterOptions,
  run: async (given) => {
    const { rest, cluster, path } = await chosenCluster(given);
    const made = await rest.call<z.output<typeof enrollmentTokenSchema>>('POST', `${path}/enrollment-token`);
    return toEnrol(made, `For the cluster ${cluster.slug}.`);
  },
});

export const clusterUpdate = command({
  summary: "Updates a cluster's agent to the release that the control plane offers",
  usage: '[--cluster SLUG] [--image IMAGE] [--cancel] [--no-wait] [--json]',
  details: `Instances keep running meanwhile. An agent whose new release does not work rolls back by itself.`,
  options: {
    image: { type: 'string', value: 'IMAGE', what: 'Another release than the one that is offered.' },
    cancel: { type: 'boolean', what: 'Cancel the update that is under way, if the agent does not switch yet.' },
    'no-wait': { type: 'boolean', what: 'Do not wait until it has finished.' },
    ...clusterOptions,
    ...eventsOption,
  },
  run: async ({ image, cancel, 'no-wait': noWait = false, ...given }) => {
    const { rest, path } = await chosenCluster(given);
    const attempt = await (cancel
      ? rest.call<Attempt>('DELETE', `${path}/agent/update`)
      : rest.call<Attempt>('POST', `${path}/agent/update`, defined({ image })));
    return await followedUpdate(rest, path, attempt, { wait: !noWait && !cancel, json: given.json });
  },
});
