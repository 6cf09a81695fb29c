import { type ActorsGround, actorsGround } from '../actors.ts';

/** Git hosts of tests are on the loopback. */
const serving = { outbound: { allowedRanges: ['127.0.0.0/8'] } };

/** A ground whose actors are served. */
export interface ServedGround extends ActorsGround {
  /** As if no worker were up. */
  stopServing(): Promise<void>;
  serveAgain(): Promise<void>;
}

let opened: Promise<ServedGround> | undefined;

/**
 * A served ground that the files of tests in this process stand on one after the other: a database, a namespace and a worker
 * cost more than many a file's tests. Each test has rows of its own here, and none looks at all there are. The ground ends
 * with the process, what is left of it with the run.
 */
export function servedGround(): Promise<ServedGround> {
  opened ??= openServed();
  return opened;
}

async function openServed(): Promise<ServedGround> {
  const ground = await actorsGround();
  let stop: (() => Promise<void>) | undefined = await ground.serve(serving);
  const served: ServedGround = {
    ...ground,
    async stopServing() {
      await stop?.();
      stop = undefined;
    },
    async serveAgain() {
      stop ??= await ground.serve(serving);
    },
    // For the files that follow it is served.
    close: () => served.serveAgain(),
  };
  return served;
}
