import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import { v7 as uuid } from 'uuid';
import { attemptTurns } from '../../activities/attempts/turns.ts';
import { createActivities } from '../../activities/index.ts';
import { deleteOrganization } from '../../db/deletions/deletions.ts';
import { type Author, effect } from '../../db/engine/effect.ts';
import { createKeysFile, type Keyring, openKeyring } from '../../db/keys/keys.ts';
import { createOrganization } from '../../db/organizations/organizations.ts';
import type { Database } from '../../db/postgres/database.ts';
import { type ActorId, actorId } from '../../domain/actors/actors.ts';
import type { OutboundRules } from '../../outbound/rules.ts';
import type { PayloadKeys } from '../../temporal/connection/codec.ts';
import { connectTemporal, type Temporal, type TemporalAddress } from '../../temporal/connection/connect.ts';
import { payloadKeys } from '../../temporal/connection/open.ts';
import { prepareNamespace } from '../../temporal/connection/prepare-namespace.ts';
import { createDelivery, type Delivery } from '../../temporal/delivery/delivery.ts';
import { archiveRuns } from '../../worker/duties/archive.ts';
import { workflowBundle } from '../../worker/host/bundle.ts';
import { hostActors } from '../../worker/host/host.ts';
import { installSdk } from '../../worker/host/sdk.ts';
import type { Tracing } from '../../worker/host/tracing.ts';
import { bundleCache } from '../ground/bundle-cache.ts';
import { freshDatabase } from '../ground/fresh-database.ts';
import { groundTemporal } from '../ground/ground-temporal.ts';

export const tester: Author = { kind: 'user', id: 'tester', name: 'Tester', requestId: 'request-1' };

/** Real infrastructure for actors, of their own: a database, keys and a namespace. */
export interface ActorsGround {
  database: Database;
  keyring: Keyring;
  keys: PayloadKeys;
  temporal: Temporal;
  delivery: Delivery;
  log: Logger;
  /** The lines logged so far, parsed. */
  lines: Record<string, unknown>[];
  /** Serves actors until the answer is called. */
  serve(serving?: Serving): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export interface Serving {
  tracing?: Tracing;
  /** None: each task of a workflow replays it. */
  cachedWorkflows?: number;
  /** A change of the code of the workflows before it is served. */
  change?: (code: string) => string;
  /** Where activities may send messages; nowhere but to the public Internet, unless said. */
  outbound?: OutboundRules;
  pagerUrl?: string;
}

/** The lines of the grounds that are open, the newest last. */
const open: Record<string, unknown>[][] = [];

/** The SDK keeps the logger that it was installed with, however many files of tests its process runs. */
export async function installSdkOnce(): Promise<void> {
  await installSdk(pino({ level: 'debug' }, { write: (line: string) => void open.at(-1)?.push(JSON.parse(line)) }));
}

export async function actorsGround(through?: string): Promise<ActorsGround> {
  const fresh = await freshDatabase();
  const directory = await mkdtemp(join(tmpdir(), 'ballast-actors-'));
  const keysFile = join(directory, 'keys.json');
  await createKeysFile(keysFile);
  const { database } = fresh;
  const keyring = await openKeyring(database, keysFile);
  const keys = payloadKeys(keyring);
  const at = await groundTemporal(`test-${uuid()}`, through);
  const temporal = connectTemporal({ ...at, keys });
  await prepareNamespace(temporal);
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  open.push(lines);
  await installSdkOnce();
  return {
    database,
    keyring,
    keys,
    temporal,
    delivery: createDelivery({ database, temporal, log }),
    log,
    lines,
    serve: (serving) => serve(at, { database, keyring, keys, temporal, log }, serving),
    async close() {
      open.splice(open.indexOf(lines), 1);
      await temporal.close();
      await fresh.drop();
      await rm(directory, { recursive: true });
    },
  };
}

const bundles = new Map<boolean, ReturnType<typeof workflowBundle>>();

/** Read once a process: no test changes a workflow on the disk. */
function bundle(tracing: boolean): ReturnType<typeof workflowBundle> {
  const made = bundles.get(tracing) ?? workflowBundle({ cache: bundleCache, tracing });
  bundles.set(tracing, made);
  return made;
}

/** Serves actors of any Temporal; answers how to stop that. */
export async function serve(
  address: TemporalAddress,
  ground: Pick<ActorsGround, 'database' | 'keyring' | 'keys' | 'temporal' | 'log'>,
  {
    tracing,
    cachedWorkflows,
    change = (code) => code,
    outbound = { allowedRanges: [] },
    pagerUrl = 'https://pager.invalid',
  }: Serving = {},
) {
  const { database, keyring, keys, temporal, log } = ground;
  const stopping = new AbortController();
  const { code } = await bundle(tracing !== undefined);
  const activities = await createActivities({
    database,
    keyring,
    archive: archiveRuns({ database, keyring, temporal }),
    ingressDomain: 'localhost',
    outbound,
    pagerUrl,
    publicUrl: 'https://ballast.example.com',
    turns: attemptTurns(40),
  });
  let ended: Promise<void> = Promise.resolve();
  await new Promise<void>((serving) => {
    const hosting = {
      address,
      keys,
      bundle: { code: change(code) },
      activities,
      concurrency: 10,
      cachedWorkflows,
      log,
      tracing,
    };
    ended = hostActors({ ...hosting, onServing: (yes) => yes && serving() }, stopping.signal);
  });
  return () => {
    stopping.abort();
    return ended;
  };
}

export interface DeletedOrganization {
  organizationId: string;
  deletionId: string;
  actor: ActorId;
}

/** An organization that was made and deleted. Nobody has told its actor yet. */
export async function deletedOrganization(database: Database, retentionHours = 168): Promise<DeletedOrganization> {
  return effect(database, tester, async (both) => {
    const { id: organizationId } = await createOrganization(both, { name: 'Acme', slug: `acme-${uuid()}` });
    await both.kysely
      .updateTable('organization')
      .set({ deleted_retention_hours: retentionHours })
      .where('id', '=', organizationId)
      .execute();
    const deletion = await deleteOrganization(both, organizationId);
    if (!deletion) throw new Error('The organization was not deleted.');
    const { deletionId } = deletion;
    return { organizationId, deletionId, actor: actorId('deletion', deletionId) };
  });
}

export async function deletionRow(database: Database, id: string) {
  return database.kysely.selectFrom('deletion').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}
