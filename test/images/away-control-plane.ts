import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { agentWay } from '../../agent/images/push/push-layout.ts';
import { RepositoryClient } from '../../agent/images/push/repository-client.ts';
import { Client } from '../../agent/link/client.ts';

/** More than somebody at a command waits for. */
const awayFor = 7;

/** A push of an agent waits for a control plane that is away, as long as there is time. */
export async function waitsWhileAway(away: 503 | 'no connection'): Promise<void> {
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    if (asked > awayFor) response.writeHead(201);
    else if (away === 503) response.writeHead(503);
    else return void request.socket.destroy();
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const link = new Client({ url: `http://127.0.0.1:${port}`, credential: () => 'secret' });
  const stopping = new AbortController();
  try {
    const way = agentWay(link, stopping.signal);
    const client = new RepositoryClient(way, 'default/shop/web', stopping.signal);
    await client.putManifest(Buffer.from('{}'), 'application/vnd.oci.image.manifest.v1+json', undefined);
    expect(asked).toBe(awayFor + 1);
    asked = Number.NEGATIVE_INFINITY;
    const waiting = client.putManifest(Buffer.from('{}'), 'application/vnd.oci.image.manifest.v1+json', undefined);
    stopping.abort(new Error('The time is over.'));
    await expect(waiting).rejects.toThrow('The time is over.');
  } finally {
    link.close();
    server.close();
  }
}
