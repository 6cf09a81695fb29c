import type { Kysely } from 'kysely';
import type { AuditAction } from '../../domain/audit-actions.ts';
import type { Database } from '../postgres/database.ts';
import type { JsonObject } from '../postgres/json.ts';
import type { Tables } from '../postgres/tables.ts';
import { type AuditEntry, type AuditSubject, insertAuditRecords } from './audit.ts';
import type { Author } from './author.ts';
import { appendToFeed, type Hint } from './feed/feed.ts';
import { actorIdOf, type InsertedEntry, insertEntries, type Message, type Start } from './outbox.ts';

export type { Author } from './author.ts';
export type { Hint } from './feed/feed.ts';
export type { Message, Start } from './outbox.ts';

/**
 * One change: rows, audit record, feed entry, outbox entry and the stored answer of its `Idempotency-Key` in one
 * transaction. What `audit`, `change` and `tell` are given is written when the work is done, just before the commit.
 */
export interface Effect {
  readonly author: Author;
  /** The transaction. */
  readonly kysely: Kysely<Tables>;
  readonly database: Database;
  /** Details are further facts worth recording, never a secret. */
  audit(action: AuditAction, subject: AuditSubject, details?: JsonObject | undefined): void;
  change(hint: Hint): void;
  tell(entry: Start | Message): void;
}

/** Runs the work as one effect. Whatever it throws rolls everything back and is thrown again. */
export async function effect<T>(database: Database, author: Author, work: (effect: Effect) => Promise<T>): Promise<T> {
  const audits: AuditEntry[] = [];
  const hints: Hint[] = [];
  const entries: InsertedEntry[] = [];
  const transaction = database.kysely.transaction().setIsolationLevel('read committed');
  const result = await transaction.execute(async (kysely) => {
    const done = await work({
      author,
      kysely,
      database,
      audit: (action, subject, details) => void audits.push({ action, subject, details }),
      change: (hint) => void hints.push(hint),
      tell: (entry) => void entries.push(entry),
    });
    await insertAuditRecords(kysely, author, audits);
    await insertEntries(kysely, author, entries);
    // Last, since the feed's order is guarded by open transactions: the shorter this one lives from here, the better.
    await appendToFeed(kysely, hints);
    return done;
  });
  if (entries.length > 0 || hints.length > 0) {
    database.reportCommit({
      actors: [...new Set(entries.map(actorIdOf))],
      organizations: [...new Set(hints.map((hint) => hint.organizationId))],
    });
  }
  return result;
}

const takenBack = Symbol('taken back');

/** Does the work to see what comes of it, and takes all of it back. */
export async function tryOut<T>(database: Database, author: Author, work: (effect: Effect) => Promise<T>): Promise<T> {
  const results: T[] = [];
  await effect(database, author, async (running) => {
    results.push(await work(running));
    throw takenBack;
  }).catch((thrown: unknown) => {
    if (thrown !== takenBack) throw thrown;
  });
  return results[0] as T;
}
