import type { FeedListenerState } from '../../db/engine/feed/feed-listener.ts';
import { takePermits } from '../../db/engine/limits/leases.ts';
import { type PoisonedEntry, poisonedEntries } from '../../db/engine/outbox.ts';
import { findDownPart, livingProcesses } from '../../db/engine/processes/processes.ts';
import type { Keyring } from '../../db/keys/keys.ts';
import { schemaState } from '../../db/migrations/schema-state.ts';
import type { Database } from '../../db/postgres/database.ts';
import type { Room } from '../../db/postgres/room.ts';
import type { Settings } from '../../domain/settings/settings.ts';
import { fullDisk } from '../../machine/full-disk.ts';
import type { Temporal } from '../../temporal/connection/connect.ts';
import type { BlobStore } from '../registry/storage/blob-store.ts';
import { askingBuiltInProvider, providerIsReady } from '../sign-in/built-in-provider.ts';
import type { Disks } from './disks.ts';

export interface Part {
  ready: boolean;
  /** A sentence on what is wrong; absent when all is well. */
  detail?: string;
}
export interface Readiness {
  ready: boolean;
  parts: Record<string, Part>;
  /** Messages to actors that were not delivered in ten or more attempts. */
  poisoned: { actorId: string; attempts: number; since: string }[];
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The answer of `/readyz`. */
    readiness(): Promise<Readiness>;
  }
}

interface Sources {
  database: Database;
  keyring: Pick<Keyring, 'cursorKey'>;
  temporal: Pick<Temporal, 'reachable'>;
  feed: () => FeedListenerState;
  blobs: Pick<BlobStore, 'reach'>;
  disks: Disks;
  room: Room;
  settings: Pick<Settings, 'REGISTRY_S3_BUCKET' | 'OIDC_ISSUER' | 'BUILT_IN_PROVIDER_SOCKET' | 'BUILT_IN_PROVIDER_URL'>;
}

/** An answer is kept, so that frequent probes put no load on the parts. A supervisor that waits for the API hears it soon. */
const keptMillis = { ready: 1_000, notReady: 100 };
const feedPatienceMillis = 10_000;
/** A part that hangs counts as broken, so that the probe is answered. */
const longestLookMillis = 3_000;

/** Looks at each part, one look at a time. */
export function readiness(sources: Sources): () => Promise<Readiness> {
  let last: { until: number; answer: Promise<Readiness> } | undefined;
  return () => {
    if (last !== undefined && performance.now() < last.until) return last.answer;
    const next = { until: Number.POSITIVE_INFINITY, answer: look(sources) };
    const keep = (milliseconds: number) => {
      next.until = performance.now() + milliseconds;
    };
    next.answer.then(
      ({ ready }) => keep(ready ? keptMillis.ready : keptMillis.notReady),
      () => keep(0),
    );
    last = next;
    return next.answer;
  };
}

async function look({
  database,
  keyring,
  temporal: temporalPart,
  feed,
  blobs,
  disks,
  room,
  settings,
}: Sources): Promise<Readiness> {
  const [reached, writable, schema, keys, temporal, worker, poisoned, identity, registry, disk] = await Promise.all([
    part(
      () => unreachable(database),
      async () => {
        await database.ping();
        return undefined;
      },
    ),
    part('The database takes no changes; its disk may be full, or it is read-only.', async () => {
      try {
        await takePermits(database.kysely, { key: 'readiness', limitPerMinute: 2_000_000_000, chunk: 1 });
        await room.find();
      } catch (error) {
        if (fullDisk(error) === undefined) throw error;
        return 'The database takes no changes, because the disk of PostgreSQL is full; free space on it, and all goes on by itself.';
      }
      return undefined;
    }),
    part('The schema cannot be read.', async () => schemaFault(await schemaState(database))),
    part('The keys are not open yet.', async () => {
      keyring.cursorKey();
      return undefined;
    }),
    part('Temporal cannot be reached.', async () =>
      (await temporalPart.reachable()) ? undefined : 'Temporal cannot be reached; what actors are to be told waits.',
    ),
    part('Whether a worker runs cannot be read.', async () => {
      const down = await findDownPart(database.kysely);
      if (down?.part === 'worker') return `${down.sentence} Without a supervisor start one: ballast worker.`;
      const workers = (await livingProcesses(database.kysely)).filter(({ kind }) => kind === 'worker');
      return workers.length > 0 ? undefined : 'No worker runs; start one with: ballast worker.';
    }),
    within(poisonedEntries(database.kysely)).catch(() => undefined),
    identityPart(settings),
    settings.REGISTRY_S3_BUCKET === undefined ? undefined : registryPart(blobs),
    diskPart(disks),
  ]);
  const parts = {
    database: reached.ready ? writable : reached,
    schema,
    keys,
    temporal,
    worker,
    outbox: outboxPart(poisoned),
    feed: feedPart(feed()),
    disk,
    ...(identity === undefined ? {} : { identity }),
    ...(registry === undefined ? {} : { registry }),
  };
  return {
    ready: Object.values(parts).every(({ ready }) => ready),
    parts,
    poisoned: (poisoned ?? []).map(({ actorId, attempts, since }) => {
      return { actorId, attempts, since: since.toISOString() };
    }),
  };
}

const fine: Part = { ready: true };

function faulty(detail: string): Part {
  return { ready: false, detail };
}

/** Whether the database is away, or only all connections to it are in use. */
function unreachable(database: Database): string {
  const { total, idle, waiting } = database.pool();
  if (total === 0 || idle > 0 || waiting === 0) return 'The database cannot be reached.';
  return `All ${total} connections to the database are busy, and ${waiting} requests wait for one; see what locks its tables, or raise DATABASE_POOL.`;
}

async function part(whenItFails: string | (() => string), fault: () => Promise<string | undefined>): Promise<Part> {
  try {
    const detail = await within(fault());
    return detail === undefined ? fine : faulty(detail);
  } catch {
    return faulty(typeof whenItFails === 'string' ? whenItFails : whenItFails());
  }
}

async function within<T>(look: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('It did not answer in time.')), longestLookMillis);
  try {
    return await Promise.race([look, late]);
  } finally {
    clearTimeout(timer);
  }
}

function schemaFault(state: Awaited<ReturnType<typeof schemaState>>): string | undefined {
  if (state === 'behind') return 'The schema is older than this version; run: ballast migrate.';
  if (state === 'ahead') return 'The schema is newer than this version; update it.';
  return undefined;
}

/** A poisoned entry delays its own actor only: it is told, and the installation stays ready. */
function outboxPart(poisoned: PoisonedEntry[] | undefined): Part {
  if (poisoned === undefined) return faulty('The outbox cannot be read.');
  if (poisoned.length === 0) return fine;
  return { ready: true, detail: `${poisoned.length} entries cannot be delivered; see poisoned.` };
}

/** Without the provider nobody can sign in, but sessions keep working: the answer says so, and the API stays ready. */
async function identityPart(settings: Sources['settings']): Promise<Part | undefined> {
  const ask = askingBuiltInProvider(settings);
  if (ask === undefined) return undefined;
  const { ready } = await part('', async () =>
    (await providerIsReady(ask, AbortSignal.timeout(longestLookMillis))) ? undefined : '',
  );
  return ready ? fine : { ready: true, detail: 'The built-in identity provider is not ready; nobody can sign in.' };
}

/** Without its bucket nothing is pushed or pulled, and all else works: the answer says so, and the API stays ready. */
async function registryPart(blobs: Sources['blobs']): Promise<Part> {
  const { ready } = await part('', async () => {
    await blobs.reach();
    return undefined;
  });
  if (ready) return fine;
  return {
    ready: true,
    detail:
      'The bucket of the registry cannot be used; images are neither pushed nor pulled. `ballast doctor` says why.',
  };
}

/** A disk that does not answer, such as one of the network, fails what is written to it as a full one does. */
async function diskPart(disks: Disks): Promise<Part> {
  return await within(disks.look()).catch(() =>
    faulty('A disk of BALLAST_HOME or REGISTRY_DIRECTORY does not answer; see whether it is mounted.'),
  );
}

function feedPart({ lastReadAt }: FeedListenerState): Part {
  if (lastReadAt === undefined) return faulty('The change feed was not read yet.');
  const silent = Date.now() - lastReadAt.getTime();
  return silent <= feedPatienceMillis ? fine : faulty('The change feed has not been read for a while.');
}
