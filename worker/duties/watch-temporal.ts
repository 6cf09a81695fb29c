import type { Logger } from 'pino';
import type { Temporal } from '../../temporal/connection/connect.ts';
import { type Repeated, repeat } from './repeat.ts';

interface Watching {
  temporal: Pick<Temporal, 'reachable'>;
  log: Logger;
  /** Since when it has not answered; undefined: it answers again. */
  onChange: (since: Date | undefined) => void;
}

/** A single look may have been late by itself. */
const looksInVain = 2;

/** The SDK goes on trying in silence while Temporal is away; what waits for it is to say so. */
export function watchTemporal({ temporal, log, onChange }: Watching): Pick<Repeated, 'stop'> {
  let inVain = 0;
  let answered = new Date();
  return repeat({
    what: 'Look at Temporal',
    milliseconds: 3_000,
    log,
    async task(signal) {
      const reachable = await temporal.reachable();
      if (signal.aborted) return;
      if (!reachable) {
        inVain += 1;
        if (inVain === looksInVain) onChange(answered);
        return;
      }
      if (inVain >= looksInVain) onChange(undefined);
      inVain = 0;
      answered = new Date();
    },
  });
}
