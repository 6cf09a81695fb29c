import type { PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import {
  type ArchivedRun,
  archivedRuns,
  readHistoryPage,
  UnreadablePage,
} from '../../db/engine/archive/history-archive.ts';
import type { Keyring } from '../../db/keys/keys.ts';
import type { Database } from '../../db/postgres/database.ts';
import type { ActorId } from '../../domain/actors/actors.ts';
import { endsRun, type HistoryEvent, unreadablePart } from '../../domain/history-steps/step.ts';
import { holdsSecrets } from '../../domain/history-steps/without-secrets.ts';
import { payloadCodec } from '../connection/codec.ts';
import type { Temporal } from '../connection/connect.ts';
import { hasStatus } from '../connection/grpc-status.ts';
import { payloadKeys } from '../connection/open.ts';
import { type DescribedActor, describeActor } from '../delivery/describe-actor.ts';
import { fetchRun, runsUpTo } from './fetch-history.ts';
import { historyEvents } from './history-events.ts';
import { historyToJson } from './history-text.ts';
import { inPlain } from './in-plain.ts';

const { History } = proto.temporal.api.history.v1;

export interface HistoryParts {
  database: Database;
  keyring: Pick<Keyring, 'payloadKey'>;
  temporal: Pick<Temporal, 'connection' | 'namespace'>;
  onUnreadable(error: UnreadablePage): void;
}

/**
 * The whole history of an actor, wherever its parts are: runs that are over in the archive, the others in Temporal. One
 * run is read at a time. Of an actor whose history is archived to its end Temporal is not asked at all.
 */
export class ActorHistory {
  readonly #parts: HistoryParts;
  readonly #actorId: ActorId;
  readonly #wholeInArchive: boolean;
  readonly #codec: PayloadCodec;
  #archived: Promise<ArchivedRun[]> | undefined;
  #described: Promise<DescribedActor | undefined> | undefined;
  #live: Promise<string[]> | undefined;

  constructor(parts: HistoryParts, actorId: ActorId, wholeInArchive: boolean) {
    this.#parts = parts;
    this.#actorId = actorId;
    this.#wholeInArchive = wholeInArchive;
    this.#codec = payloadCodec(payloadKeys(parts.keyring));
  }

  archived(): Promise<ArchivedRun[]> {
    this.#archived ??= archivedRuns(this.#parts.database.kysely, this.#actorId);
    return this.#archived;
  }

  async described(): Promise<DescribedActor | undefined> {
    if (this.#wholeInArchive) return undefined;
    this.#described ??= describeActor(this.#parts.temporal, this.#codec, this.#actorId);
    return await this.#described;
  }

  /** How many runs are known. */
  async count(): Promise<number> {
    return (await this.archived()).length + (await this.#liveRuns()).length;
  }

  /** The events of a run, from 1; `undefined` if there is no such run. Runs in the archive need no Temporal. */
  async run(number: number): Promise<HistoryEvent[] | undefined> {
    const archived = await this.archived();
    const run = archived[number - 1];
    if (run !== undefined) return await this.#archivedRun(run, number === archived.length);
    const runId = (await this.#liveRuns())[number - 1 - archived.length];
    return runId === undefined ? undefined : await this.#liveRun(runId);
  }

  /** A run as Temporal's tools and the SDK's replayer take it; `undefined` if there is no such run. */
  async exported(number: number): Promise<Record<string, unknown> | undefined> {
    const pages = await this.#pagesOf(number);
    if (pages === undefined) return undefined;
    const events = pages.flatMap((bytes) => History.decode(bytes).events);
    await inPlain(events, this.#codec, holdsSecrets);
    return historyToJson({ events });
  }

  /** Throws `UnreadablePage`: a history with a gap does not replay. */
  async #pagesOf(number: number): Promise<Uint8Array[] | undefined> {
    const archived = await this.archived();
    const run = archived[number - 1];
    const whole = run !== undefined && (this.#wholeInArchive || number < archived.length);
    const runId = run?.runId ?? (await this.#liveRuns())[number - 1 - archived.length];
    if (runId === undefined) return undefined;
    const pages: Uint8Array[] = [];
    if (!whole) {
      try {
        for await (const { bytes } of fetchRun(this.#parts.temporal, this.#actorId, runId)) pages.push(bytes);
        return pages;
      } catch (error) {
        // Archived to its end meanwhile, and forgotten by Temporal.
        if (run === undefined || !hasStatus(error, 'notFound')) throw error;
      }
    }
    const { database, keyring } = this.#parts;
    for (let page = 0; page <= Math.max(...(run?.pages ?? [])); page += 1) {
      const bytes = await readHistoryPage(database.kysely, keyring, { actorId: this.#actorId, runId, page });
      if (bytes === undefined) throw new UnreadablePage(`Page ${page} of the run ${runId} is missing.`);
      pages.push(bytes);
    }
    return pages;
  }

  async #liveRuns(): Promise<string[]> {
    const described = await this.described();
    if (described === undefined) return [];
    const known = new Set((await this.archived()).map(({ runId }) => runId));
    this.#live ??= runsUpTo(this.#parts.temporal, this.#actorId, described.runId, known);
    return await this.#live;
  }

  async #liveRun(runId: string): Promise<HistoryEvent[]> {
    const events: HistoryEvent[] = [];
    for await (const { bytes } of fetchRun(this.#parts.temporal, this.#actorId, runId)) {
      events.push(...(await historyEvents(bytes, this.#codec)));
    }
    return events;
  }

  async #archivedRun(run: ArchivedRun, last: boolean): Promise<HistoryEvent[]> {
    const events: HistoryEvent[] = [];
    for (let page = 0; page <= Math.max(...run.pages); page += 1) {
      events.push(...((await this.#page(run.runId, page)) ?? [this.#unreadable(run, page, events.at(-1))]));
    }
    // The last one may be on its way into the archive at this moment: then Temporal still has all of it.
    if (!last || this.#wholeInArchive || endsRun(events.at(-1))) return events;
    try {
      return await this.#liveRun(run.runId);
    } catch (error) {
      if (hasStatus(error, 'notFound')) return events;
      throw error;
    }
  }

  /** `undefined`: it cannot be read, which is no reason not to read the others. */
  async #page(runId: string, page: number): Promise<HistoryEvent[] | undefined> {
    const { database, keyring, onUnreadable } = this.#parts;
    const actorId = this.#actorId;
    try {
      const bytes = await readHistoryPage(database.kysely, keyring, { actorId, runId, page });
      if (bytes !== undefined) return await historyEvents(bytes, this.#codec);
      throw new UnreadablePage(`Page ${page} of the run ${runId} of ${actorId} is missing in the archive.`);
    } catch (error) {
      if (!(error instanceof UnreadablePage)) throw error;
      onUnreadable(error);
      return undefined;
    }
  }

  #unreadable({ runId, storedAt }: ArchivedRun, page: number, before: HistoryEvent | undefined): HistoryEvent {
    const why = `Page ${page + 1} of the run ${runId} is missing in the archive, was altered, or its key is missing; restore it from a backup of the database.`;
    const at = before?.at ?? storedAt.toISOString();
    return { id: (before?.id ?? 0) + 1, type: unreadablePart, at, attributes: { why } };
  }
}
