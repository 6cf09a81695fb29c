import type { Pool, PoolClient } from 'pg';

/**
 * Gives a connection that breaks while it is in use back to the pool, which discards it. Its holder
 * gives it back when its work ends, which may wait for other things, and MikroORM's transactions, in which migrations
 * run, only after a COMMIT or ROLLBACK that succeeded: without this, a broken connection keeps its place in the pool.
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
