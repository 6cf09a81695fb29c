import type { z } from 'zod';
import type { ClusterView } from '../../db/clusters/clusters.ts';
import { maskFor } from '../../db/releases/secrets.ts';
import { findInstance, type InstanceView } from '../../db/workloads/instances.ts';
import { placeOfKey } from '../../domain/deployments/workload-of.ts';
import { isId } from '../../domain/ids.ts';
import { Problem } from '../../domain/problems.ts';
import type { report } from '../../protocol/observed.ts';
import { logsMinor } from '../../protocol/version.ts';
import { refuseWithoutContact } from '../commands/command.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import type { LogRange, LogTold } from './log-reader.ts';
import type { LogReaders } from './log-readers.ts';

/**
 * Reads the log of an instance through its agent, with the secrets masked that it was given. Answers why it ended; `undefined`:
 * read on from the last cursor.
 */
export async function* readLog(
  server: Pick<ServerParts, 'database' | 'clocks' | 'keyring'> & { logReaders: Pick<LogReaders, 'open'> },
  cluster: ClusterView,
  { instance, ...wanted }: LogRange & { instance: string },
  signal: AbortSignal,
): AsyncGenerator<LogTold, { message: string } | undefined, undefined> {
  const found = await findInstance(server.database.kysely, cluster, instance);
  if (found === undefined) {
    throw new Problem('not-found', `The agent of "${cluster.name}" sees no such instance.`);
  }
  refuseWithoutContact(cluster);
  if (cluster.agent.protocolMinor < logsMinor) {
    throw new Problem(
      'cluster-not-ready',
      `The agent of the cluster "${cluster.name}" is too old to send logs to this control plane: update it with \`./ballast cluster update\` first.`,
    );
  }
  const leaving = new AbortController();
  const over = AbortSignal.any([signal, leaving.signal]);
  try {
    const reader = await server.logReaders.open(cluster, instance, wanted, over);
    const { logBegins } = server.clocks;
    const ended = yield* masked(reader.read(logBegins, over), await maskOfInstance(server, cluster, found));
    if (ended === 'silent') {
      return {
        message: `The agent of the cluster "${cluster.name}" did not begin with the log within ${logBegins / 1000} s; try again, or read the agent's own log on its machine.`,
      };
    }
    if (ended === 'old') {
      return {
        message: `The agent of the cluster "${cluster.name}" is too old to read a log backwards: update it with \`./ballast cluster update\` first.`,
      };
    }
    return typeof ended === 'string' ? undefined : ended;
  } finally {
    leaving.abort();
  }
}

/** The same of a log that is read to its end; `cluster-not-ready` where it ends early, with `lost` where it is not known why. */
export async function* readWholeLog(
  server: Parameters<typeof readLog>[0],
  cluster: ClusterView,
  wanted: Omit<LogRange, 'follow'> & { instance: string },
  signal: AbortSignal,
  lost: string,
): AsyncGenerator<LogTold, void, undefined> {
  const ended = yield* readLog(server, cluster, { ...wanted, follow: false }, signal);
  const why = ended?.message ?? lost;
  if (why !== '') throw new Problem('cluster-not-ready', why);
}

/** Workloads that were put on a cluster by themselves say of no value that it is secret. */
async function maskOfInstance(
  { database, keyring }: Pick<ServerParts, 'database' | 'keyring'>,
  { organizationId }: ClusterView,
  { key, instance }: InstanceView,
): Promise<(text: string) => string> {
  const place = placeOfKey(key);
  if (place === undefined) return (text) => text;
  // Instances of a redeployment, "2.8", run as the release of that number as well.
  const runsAs = Number(/^\d{1,9}/.exec(String(instance.release))?.[0] ?? 0);
  return await maskFor(database.kysely, keyring, { organizationId, ...place, release: { runsAs } });
}

async function* masked<Ended>(
  reading: AsyncGenerator<LogTold, Ended, undefined>,
  mask: (text: string) => string,
): AsyncGenerator<LogTold, Ended, undefined> {
  try {
    for (;;) {
      const next = await reading.next();
      if (next.done === true) return next.value;
      const told = next.value;
      yield 'line' in told ? { ...told, line: { ...told.line, text: mask(told.line.text) } } : told;
    }
  } finally {
    // The end of this one is the end of that one, too.
    await reading.return(undefined as never);
  }
}

type Report = z.output<typeof report>;

/**
 * The report with the secrets masked in the last lines of what failed: they are kept with the deployment, go through its
 * history, and are told to people.
 */
export async function maskFailures(
  { database, keyring }: Pick<ServerParts, 'database' | 'keyring'>,
  organizationId: string,
  body: Report,
): Promise<Report> {
  const slices: Report['slices'] = [];
  for (const slice of body.slices) {
    const { key, rollout } = slice;
    const place = placeOfKey(key);
    if (rollout?.failure === undefined || place === undefined || !isId(rollout.id)) {
      slices.push(slice);
      continue;
    }
    const program = { organizationId, ...place, release: { deploymentId: rollout.id } };
    const mask = await maskFor(database.kysely, keyring, program);
    // They follow each other: a secret may go on in the next one.
    const broken = { forms: [] };
    const lines = rollout.failure.lines.map((line) => mask.line(line, broken));
    const failure = { ...rollout.failure, lines };
    slices.push({ ...slice, rollout: { ...rollout, failure } });
  }
  return { ...body, slices };
}

/** So many wait for the reader. */
const room = 256;

/**
 * Several sources as one, each no faster than it is read. Sources may be added as long as their own list has not ended. A
 * source that fails ends with what `failed` makes of that.
 */
export async function* readTogether<Told>(
  sources: Iterable<AsyncIterable<Told>> | AsyncIterable<AsyncIterable<Told>>,
  failed: (source: number, error: unknown) => Told,
): AsyncGenerator<Told, void, undefined> {
  const waiting: Told[] = [];
  let open = 1;
  let left = false;
  let wake = () => {};
  let drained: (() => void)[] = [];
  const close = () => {
    open -= 1;
    wake();
  };
  const pump = async (source: AsyncIterable<Told>, index: number) => {
    try {
      for await (const told of source) {
        if (left) return;
        waiting.push(told);
        wake();
        while (waiting.length >= room && !left) await new Promise<void>((resolve) => drained.push(resolve));
      }
    } catch (error) {
      waiting.push(failed(index, error));
    } finally {
      close();
    }
  };
  const pumpAll = async () => {
    let index = 0;
    for await (const source of sources) {
      if (left) return;
      open += 1;
      void pump(source, index);
      index += 1;
    }
  };
  let broken: { error: unknown } | undefined;
  void pumpAll()
    .catch((error: unknown) => {
      broken = { error };
    })
    .finally(close);
  try {
    for (;;) {
      const taken = waiting.splice(0);
      for (const waiter of drained) waiter();
      drained = [];
      yield* taken;
      if (broken !== undefined) throw broken.error;
      if (waiting.length > 0 || taken.length > 0) continue;
      if (open === 0) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    left = true;
    for (const waiter of drained) waiter();
  }
}
