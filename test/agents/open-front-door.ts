import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FrontDoor } from '../../agent/ingress/front-door.ts';
import { AccessLog, TrafficCounts } from '../../agent/ingress/requests/access-log.ts';
import { ClientLimits, type Limits, usualLimits } from '../../agent/ingress/requests/client-limits.ts';
import type { RouteUpstream } from '../../agent/ingress/route.ts';
import { RoutingTable } from '../../agent/ingress/routing-table.ts';
import { trustedProxies } from '../../agent/ingress/trusted-proxies.ts';

/** An ingress's front door in the test's own process, with the servers behind it; `close` ends all of them. */
export async function openFrontDoor(limits: Partial<Limits> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'ballast-door-'));
  const table = new RoutingTable();
  const log = new AccessLog(join(directory, 'access.log'));
  const door = new FrontDoor({
    table,
    log,
    traffic: new TrafficCounts(),
    trusts: trustedProxies(['127.0.0.9']),
    limits: new ClientLimits({ ...usualLimits, ...limits }),
  });
  const servers: Server[] = [];
  const listening = async (server: Server): Promise<number> => {
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  };
  return {
    door,
    table,
    port: await listening(door.server),
    listening,
    /** Sends requests for `app.localhost` to the instances at these ports. */
    lead(ports: readonly number[], protocol: RouteUpstream['protocol'] = 'http1'): void {
      const upstreams = ports.map((port) => ({ instance: `web-${port}`, host: '127.0.0.1', port, protocol }));
      table.apply([{ host: 'app.localhost', upstreams }]);
    },
    close(): void {
      table.apply([]);
      door.cut();
      log.close();
      for (const server of servers) server.close();
      rmSync(directory, { recursive: true });
    },
  };
}
