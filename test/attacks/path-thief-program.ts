import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * A tenant's process that wants an inner socket of the platform: it makes what is missing of each path, tries again and
 * again to listen there and to connect, and answers as a healthy part would. It prints what came of that, a line each.
 */
async function main(paths: readonly string[]): Promise<void> {
  // Loaded as whoever runs the tests; from here on as a user that owns nothing.
  if (process.getuid?.() === 0) {
    process.setgid?.(62_562);
    process.setuid?.(62_562);
  }
  const say = (what: object): void => void process.stdout.write(`${JSON.stringify(what)}\n`);
  const got = new Set<string>();
  const reached = new Set<string>();
  for (let round = 0; ; round += 1) {
    for (const path of paths) {
      if (got.has(path)) continue;
      try {
        mkdirSync(dirname(path), { mode: 0o755 });
      } catch {
        // The directory is there, or one above it is closed.
      }
      const server = createServer((request, response) => {
        say({ heard: `${request.method} ${request.url} ${JSON.stringify(request.headers)}` });
        response.end('{"generation":1,"inFlight":{},"incarnation":1}');
      });
      server.listen(path);
      const opened = await once(server, 'listening').then(
        () => true,
        () => false,
      );
      if (opened) {
        got.add(path);
        say({ got: path });
        continue;
      }
      const socket = connect(path);
      const admitted = await once(socket, 'connect').then(
        () => true,
        () => false,
      );
      socket.destroy();
      if (admitted && !reached.has(path)) say({ reached: path });
      if (admitted) reached.add(path);
    }
    if (round === 0) say({ trying: true });
    await pause(2);
  }
}

await main(process.argv.slice(2));
