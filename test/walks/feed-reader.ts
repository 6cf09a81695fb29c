import type { ControlledTransaction } from 'kysely';
import { v7 as uuid } from 'uuid';
import { expect } from 'vitest';
import { appendToFeed, feedHead, readAhead, readFeed } from '../../db/engine/feed/feed.ts';
import type { Database } from '../../db/postgres/database.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { fc } from '../run/drawn.ts';

const organizationId = uuid();
const hint = (id: string) => ({ organizationId, kind: 'team' as const, id });

/** Transactions that commit in any order while a reader reads on: each entry is seen, and once. */
export async function missesNothing({ kysely }: Database, draws: number): Promise<void> {
  // Each number opens that transaction, writes in it, or commits it; between the steps a reader reads on.
  const steps = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 5, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(steps, async (slots) => {
      const open = new Map<number, { transaction: ControlledTransaction<Tables>; written: string[] }>();
      const head = await feedHead(kysely);
      let { cursor } = head;
      const seen: string[] = [];
      const committed: string[] = [];
      let ahead = head.snapshot;
      const read = async (): Promise<void> => {
        const page = await readFeed(kysely, cursor, 3, ahead);
        cursor = page.cursor;
        seen.push(...page.entries.map(({ id }) => id));
        // Each third read looks ahead of the guard, as behind a long transaction.
        reads += 1;
        if (reads % 3 > 0) return;
        const early = await readAhead(kysely, cursor, 1_000, ahead);
        ahead = early.snapshot;
        seen.push(...early.entries.map(({ id }) => id));
      };
      let reads = 0;
      for (const slot of slots) {
        const running = open.get(slot);
        if (running === undefined) {
          const transaction = await kysely.startTransaction().execute();
          const id = uuid();
          await appendToFeed(transaction, [hint(id)]);
          open.set(slot, { transaction, written: [id] });
        } else if (running.written.length === 1) {
          const id = uuid();
          await appendToFeed(running.transaction, [hint(id)]);
          running.written.push(id);
        } else {
          await running.transaction.commit().execute();
          committed.push(...running.written);
          open.delete(slot);
        }
        await read();
      }
      for (const { transaction, written } of open.values()) {
        await transaction.commit().execute();
        committed.push(...written);
      }
      while (seen.length < committed.length) await read();
      expect([...seen].sort()).toEqual([...committed].sort());
      expect(new Set(seen).size).toBe(seen.length);
    }),
    { numRuns: draws },
  );
}
