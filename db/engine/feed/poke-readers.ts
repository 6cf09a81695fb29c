import { sql } from 'kysely';
import type { Database } from '../../postgres/database.ts';
import { feedChannel } from './feed.ts';

const pokeMillis = 20;

/**
 * Tells the feed's readers in all processes to look after each commit of this one that wrote to it. Many commits at once
 * become one NOTIFY: each one serialises commits. Answers how to stop.
 */
export function pokeReaders(database: Database): () => void {
  let timer: NodeJS.Timeout | undefined;
  const unsubscribe = database.onCommit(({ organizations }) => {
    if (organizations.length === 0 || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      sql`select pg_notify(${feedChannel}, '')`.execute(database.kysely).catch(() => {
        // The readers' poll finds it half a second later.
      });
    }, pokeMillis);
  });
  return () => {
    unsubscribe();
    clearTimeout(timer);
  };
}
