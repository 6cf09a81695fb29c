import type { Logger } from 'pino';
import type { Database } from '../../db/postgres/database.ts';
import type { Delivery } from '../../temporal/delivery/delivery.ts';
import { type Repeated, repeat } from './repeat.ts';

interface Relaying {
  database: Database;
  delivery: Delivery;
  log: Logger;
  milliseconds?: number;
}

const batch = 100;

/**
 * Delivers what nobody else has delivered: what this process commits at once, everything else by polling. The API tries
 * its own deliveries, so what is left here is what failed, or what was committed by a process that died.
 */
export function startRelay({ database, delivery, log, milliseconds = 500 }: Relaying): Pick<Repeated, 'stop'> {
  const polling = repeat({
    what: 'Relay of the outbox',
    milliseconds,
    jitter: 0.2,
    log,
    async task(signal) {
      // A full batch means that more is waiting. What failed is not due any more, so this ends.
      for (let tried = batch; tried === batch && !signal.aborted; ) tried = await delivery.deliverDue(batch);
    },
  });
  const unsubscribe = database.onCommit(({ actors }) => {
    // The poll finds what cannot be delivered now.
    for (const actor of actors) delivery.deliver(actor).catch(() => undefined);
  });
  return {
    async stop() {
      unsubscribe();
      await polling.stop();
    },
  };
}
