import { sql } from 'kysely';
import type { ClusterRef } from '../clusters/clusters.ts';
import { type Author, effect } from '../engine/effect.ts';
import { connectionFailure } from '../postgres/connection-failure.ts';
import type { Database } from '../postgres/database.ts';
import type { JsonObject } from '../postgres/json.ts';

interface Beat {
  incarnation: number;
  running: readonly string[];
  facts: JsonObject | undefined;
}

const author: Author = { kind: 'machine', id: 'api', name: 'api' };
const writeEveryMillis = 500;
const hintEveryMillis = 1_000;
const leaseSeconds = 60;

/**
 * Heartbeats of agents, gathered and written together: a crash loses half a second of them. So are hints that a cluster
 * has changed: one a second for each, however often its agent reports.
 */
export class Heartbeats {
  readonly #database: Database;
  readonly #timer: NodeJS.Timeout;
  #beats = new Map<string, Beat>();
  #changed = new Map<string, ClusterRef>();
  #hintedAt = 0;
  #writing: Promise<void> | undefined;

  constructor(database: Database, everyMillis = writeEveryMillis) {
    this.#database = database;
    this.#timer = setInterval(() => this.#writeInTurn(), everyMillis);
    this.#timer.unref();
  }

  add(clusterId: string, beat: Beat): void {
    const facts = beat.facts ?? this.#beats.get(clusterId)?.facts;
    this.#beats.set(clusterId, { ...beat, facts });
  }

  changed(cluster: ClusterRef): void {
    this.#changed.set(cluster.id, cluster);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writing;
    this.#hintedAt = 0;
    await this.#write().catch(() => undefined);
  }

  #writeInTurn(): void {
    this.#writing ??= this.#write()
      // The next heartbeat, seconds from now, says the same.
      .catch(() => undefined)
      .finally(() => (this.#writing = undefined));
  }

  async #write(): Promise<void> {
    await this.#writeBeats();
    if (this.#changed.size === 0 || performance.now() - this.#hintedAt < hintEveryMillis) return;
    this.#hintedAt = performance.now();
    const changed = [...this.#changed.values()];
    this.#changed = new Map();
    try {
      await effect(this.#database, author, async (hinting) => {
        for (const { id, organizationId } of changed) hinting.change({ organizationId, kind: 'cluster', id });
      });
    } catch (error) {
      // Nobody would say it again.
      for (const cluster of changed) this.#changed.set(cluster.id, cluster);
      throw error;
    }
  }

  async #writeBeats(): Promise<void> {
    if (this.#beats.size === 0) return;
    const beats = [...this.#beats];
    this.#beats = new Map();
    try {
      await this.#writeTogether(beats);
    } catch (error) {
      if (connectionFailure(error) || beats.length === 1) throw error;
      // One that cannot be written, or that waits crosswise with somebody, must not silence all the others.
      for (const beat of beats) await this.#writeTogether([beat]).catch(() => undefined);
    }
  }

  async #writeTogether(beats: readonly [string, Beat][]): Promise<void> {
    const ids = beats.map(([id]) => id);
    const incarnations = beats.map(([, { incarnation }]) => incarnation);
    const facts = beats.map(([, beat]) => (beat.facts === undefined ? null : JSON.stringify(beat.facts)));
    await sql`
      update cluster_agent
      set last_heartbeat_at = now(), facts = coalesce(beat.facts::jsonb, cluster_agent.facts)
      from unnest(${ids}::uuid[], ${incarnations}::int[], ${facts}::text[]) as beat (id, incarnation, facts)
      where cluster_agent.cluster_id = beat.id and cluster_agent.incarnation = beat.incarnation
    `.execute(this.#database.kysely);
    const leases = beats.flatMap(([id, { running }]) => running.map((command) => ({ id, command })));
    if (leases.length === 0) return;
    await sql`
      update cluster_command set lease_until = now() + make_interval(secs => ${leaseSeconds})
      from unnest(${leases.map(({ id }) => id)}::uuid[], ${leases.map(({ command }) => command)}::uuid[])
        as lease (cluster_id, id)
      where cluster_command.id = lease.id and cluster_command.cluster_id = lease.cluster_id
        and cluster_command.state = 'delivered'
    `.execute(this.#database.kysely);
  }
}
