import type { Logger } from 'pino';
import type { Database } from '../../db/postgres/database.ts';
import type { Delivered, Delivery } from '../../temporal/delivery/delivery.ts';
import { type Repeated, repeat } from './repeat.ts';

interface Relaying {
  database: Database;
  delivery: Delivery;
  log: Logger;
  milliseconds?: number;
}

const batch = 100;
const longestPause = 5_000;

/**
 * Delivers what nobody else has delivered: what this process commits at once, everything else by polling. The API tries
 * its own deliveries, so what is left here is what failed, or what was committed by a process that died. While there is
 * nothing to deliver it looks less and less often, but not later than the next entry is due.
 */
export function startRelay({ database, delivery, log, milliseconds = 500 }: Relaying): Pick<Repeated, 'stop'> {
  let pause = milliseconds;
  const polling = repeat({
    what: 'Relay of the outbox',
    milliseconds,
    jitter: 0.2,
    log,
    async task(signal) {
      let round = await delivery.deliverDue(batch);
      let told = round.told;
      for (; round.more && !signal.aborted; told += round.told) round = await delivery.deliverDue(batch);
      pause = told > 0 ? milliseconds : Math.min(pause * 2, longestPause);
      return Math.max(milliseconds, Math.min(pause, round.nextMilliseconds ?? longestPause));
    },
  });
  const unsubscribe = database.onCommit(({ actors }) => {
    for (const actor of actors) delivery.deliver(actor).then(lookAgain, () => lookAgain('failed'));
  });
  /** The poll finds what could not be delivered now, and learns when it is due. */
  function lookAgain(result: Delivered): void {
    if (result !== 'failed' || delivery.away) return;
    pause = milliseconds;
    polling.now();
  }
  return {
    async stop() {
      unsubscribe();
      await polling.stop();
    },
  };
}
