import type { Pool } from 'pg';

/** From so many times on that it was asked, a statement is parsed and planned once per connection. */
export const hotFrom = 20;
/** Each holds memory of the server on each connection. */
const mostStatements = 200;
/** Of texts that are not hot yet. Lists of any length make new ones all the time. */
const mostCounted = 2_000;
const resultChanged = '0A000';

/**
 * Prepares what the pool is often asked; Kysely has no word for that. Planning a statement costs about as much as
 * running it, and most of ours are asked again and again. Not one whose columns are "all": a migration adds one, and the
 * prepared statement fails.
 *
 * Answers are taken by callback: the promise that pg makes instead lets rows outlive the collection of young objects,
 * which costs a busy process a third of its time and 100 MB (docs/performance.md).
 */
export function prepareHotStatements(pool: Pool): void {
  const named = nameHotTexts();
  pool.on('connect', (client) => {
    const { query } = client;
    Reflect.set(client, 'query', (...given: unknown[]): unknown => {
      const [text, values, ...rest] = given;
      if (typeof text !== 'string' || !Array.isArray(values) || rest.length > 0) {
        return Reflect.apply(query, client, given);
      }
      const name = named.nameOf(text);
      const asked = name === undefined ? { text, values } : { name, text, values };
      return new Promise((resolve, reject) => {
        const done = (error: unknown, result: unknown): void => {
          // The next one is parsed anew.
          if (name !== undefined && Reflect.get(Object(error), 'code') === resultChanged) named.forget(text);
          if (error) reject(error);
          else resolve(result);
        };
        Reflect.apply(query, client, [asked, done]);
      });
    });
  });
}

/**
 * Begins a statement that is planned each time it is asked. A prepared one keeps its plan until its table is analyzed: where
 * thousands of rows may come within a minute, a plan for a few rows reads all of them.
 */
export const plannedEachTime = '/* planned each time */';

const preparable = /^\s*(select|insert|update|delete|with)\b/i;
const allColumns = /(select|returning|,)\s+("?\w+"?\.)?\*/i;

function nameHotTexts() {
  const names = new Map<string, string>();
  const asked = new Map<string, number>();
  let named = 0;
  return {
    nameOf(text: string): string | undefined {
      const known = names.get(text);
      if (known !== undefined || names.size >= mostStatements) return known;
      const times = (asked.get(text) ?? 0) + 1;
      if (asked.size >= mostCounted) asked.clear();
      asked.set(text, times);
      if (times < hotFrom || !preparable.test(text) || allColumns.test(text)) return undefined;
      asked.delete(text);
      named += 1;
      const name = `ballast_${named}`;
      names.set(text, name);
      return name;
    },
    forget(text: string): void {
      names.delete(text);
    },
  };
}
