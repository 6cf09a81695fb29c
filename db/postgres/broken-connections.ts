import type { Pool, PoolClient } from 'pg';

/**
 * Gives a connection that breaks while it is in use back to the pool, which discards it. Kysely's controlled
 * transactions, which MikroORM uses, give it back only after a COMMIT or ROLLBACK that succeeded: without this, each
 * transaction that was open when PostgreSQL was killed would take its place in the pool with it, for ever.
 */
export function returnBrokenConnections(pool: Pool): void {
  const inUse = new WeakSet<PoolClient>();
  pool.on('acquire', (client) => inUse.add(client));
  pool.on('release', (_error, client) => inUse.delete(client));
  pool.on('connect', (client) => {
    client.once('end', () => {
      if (!inUse.has(client)) return;
      client.release(true);
      // A holder may still release the connection after this; the pool accepts no second release.
      client.release = () => undefined;
    });
  });
}
