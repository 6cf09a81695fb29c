import type { Pool } from 'pg';

/**
 * A query whose text holds this comment is parsed and planned once per connection: a hot read takes a third of the
 * time. For texts that are always the same, values aside, and that name their columns.
 */
export const prepared = '/* prepared */';

const mostStatements = 200;
const names = new Map<string, string>();

/**
 * Makes the pool's connections prepare the queries that ask for it; Kysely has no word for that. Answers are taken by
 * callback: the promise that pg makes instead lets rows outlive the collection of young objects, which costs a busy
 * process a third of its time and 100 MB (docs/performance.md).
 */
export function prepareMarkedQueries(pool: Pool): void {
  pool.on('connect', (client) => {
    const { query } = client;
    Reflect.set(client, 'query', (...given: unknown[]): unknown => {
      const [text, values, ...rest] = given;
      if (typeof text !== 'string' || !Array.isArray(values) || rest.length > 0) {
        return Reflect.apply(query, client, given);
      }
      const name = nameOf(text);
      const asked = name === undefined ? { text, values } : { name, text, values };
      return new Promise((resolve, reject) => {
        const done = (error: unknown, result: unknown): void => (error ? reject(error) : resolve(result));
        Reflect.apply(query, client, [asked, done]);
      });
    });
  });
}

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined) return known;
  // A text that turns out not to be always the same must not fill the server's memory.
  if (!text.includes(prepared) || names.size >= mostStatements) return undefined;
  const name = `ballast_${names.size}`;
  names.set(text, name);
  return name;
}
