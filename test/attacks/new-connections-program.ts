import { request } from 'node:http';
import { createInterface } from 'node:readline';
import type { Connections, ConnectionsOrder } from './new-connections.ts';

/** A machine that is too slow for the rate is not drowned: nobody comes while this many wait. */
const mostWaiting = 800;

/** New connections at a steady rate, one request each. A line of its input asks for what became of all that had begun by then. */
async function main({ url, perSecond, effectsOn }: ConnectionsOrder): Promise<void> {
  const told: Connections = { sent: 0, answered: 0, refused: 0, reset: 0, strange: [], slowest: 0, ids: [] };
  const open = new Set<Promise<void>>();
  createInterface({ input: process.stdin })
    .on('line', async () => {
      await Promise.all(open);
      process.stdout.write(`${JSON.stringify(told)}\n`);
    })
    .on('close', () => process.exit());

  const one = (id: number): Promise<void> =>
    new Promise((resolve) => {
      const since = performance.now();
      const done = (): void => {
        told.slowest = Math.max(told.slowest, performance.now() - since);
        resolve();
      };
      const numbered = effectsOn === undefined ? url : `${url}?id=${id}`;
      // Many people, each with an address of its own: one client's connections have a limit.
      const from = process.platform === 'linux' ? { localAddress: `127.0.0.${1 + (id % 50)}` } : {};
      const what = effectsOn === undefined ? from : { ...from, method: 'POST', headers: { host: effectsOn } };
      request(numbered, { agent: false, timeout: 60_000, ...what }, (response) => {
        response.resume().once('end', () => {
          if (response.statusCode === 200) {
            told.answered += 1;
            if (effectsOn !== undefined) told.ids.push(id);
          } else told.strange.push(String(response.statusCode));
          done();
        });
        response.once('error', () => {});
      })
        .end()
        .once('timeout', () => told.strange.push('no answer within a minute'))
        .once('error', (error: NodeJS.ErrnoException) => {
          if (error.code === 'ECONNREFUSED') told.refused += 1;
          else if (error.code === 'ECONNRESET') told.reset += 1;
          else told.strange.push(error.code ?? error.message);
          done();
        });
    });
  const began = performance.now();
  for (;;) {
    const due = began + (told.sent * 1000) / perSecond;
    // All that are due at once: a timer is too coarse for one after the other.
    if (due > performance.now() || open.size >= mostWaiting) await new Promise((resolve) => setTimeout(resolve, 2));
    else {
      told.sent += 1;
      const asked = one(told.sent).finally(() => open.delete(asked));
      open.add(asked);
    }
  }
}

await main(JSON.parse(process.argv[2] ?? '{}'));
