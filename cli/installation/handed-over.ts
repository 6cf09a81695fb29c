import { writeSync } from 'node:fs';
import { firstSocketFd, readyFd } from '../../runtime/supervisor/part.ts';

/** Passed from the supervisor to a part besides its settings. */
export interface HandedOver {
  /** Sockets that listen already; without any the part opens its port itself. */
  sockets: readonly number[];
  /** Tells the supervisor, if there is one, that the part can be used. */
  onReady(): void;
}

/** No setting: only the supervisor says how many sockets there are, to the process that got them. */
const variable = 'BALLAST_HANDED_OVER';

/** The environment by which a part knows that it was handed so many sockets, and a pipe. */
export function handOver(sockets: number): Record<string, string> {
  return { [variable]: String(sockets) };
}

/** Read once and removed: the processes that this one starts were handed nothing. */
export function handedOver(): HandedOver {
  const count = process.env[variable];
  delete process.env[variable];
  if (count === undefined) return { sockets: [], onReady: () => {} };
  const sockets = Array.from({ length: Number(count) }, (_, index) => firstSocketFd + index);
  let told = false;
  return {
    sockets,
    onReady() {
      if (told) return;
      told = true;
      try {
        writeSync(readyFd, 'ready\n');
      } catch {
        // The supervisor is gone; the next one ends this process.
      }
    },
  };
}
