import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * A tenant's process that wants a port of the platform: it tries again and again to open each of them, and who asks it is
 * answered as a healthy part would answer. It prints `trying`, and each port that it got.
 */
async function main(ports: readonly number[]): Promise<void> {
  // Loaded as whoever runs the tests; from here on as a user that owns nothing.
  if (process.getuid?.() === 0) {
    process.setgid?.(62_562);
    process.setuid?.(62_562);
  }
  const got = new Map<string, Server>();
  for (let round = 0; ; round += 1) {
    for (const port of ports) {
      for (const host of ['127.0.0.1', '0.0.0.0', '::1']) {
        const name = `${host} ${port}`;
        if (got.has(name)) continue;
        const server = createServer((_, response) => response.end('{"ready":true,"parts":{},"poisoned":[]}'));
        server.listen({ port, host, exclusive: true });
        const opened = await once(server, 'listening').then(
          () => true,
          () => false,
        );
        if (!opened) continue;
        got.set(name, server);
        process.stdout.write(`got ${name}\n`);
      }
    }
    if (round === 0) process.stdout.write('trying\n');
    // The pause leaves the machine to the tested program; a port that is free for longer is taken.
    await pause(2);
  }
}

await main(process.argv.slice(2).map(Number));
