import { bindingError } from '../../runtime/sockets/ports.ts';

const lowest = 30_000;
const highest = 32_767;

/** A port that nobody has: above an installation's inner ports, below those that systems give to outgoing connections. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest + 1));
    if ((await bindingError(port, '127.0.0.1')) === undefined) return port;
  }
}
