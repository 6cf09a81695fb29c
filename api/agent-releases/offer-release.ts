import { storeRelease } from '../../db/agent-updates/agent-releases.ts';
import { followRelease } from '../../db/agent-updates/follow-release.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';

/** Makes the agent's bundle and offers it, and the local cluster's agent follows. In the background, tried again until it works: nothing waits for it. */
export async function offerRelease(server: ServerParts, signal: AbortSignal): Promise<void> {
  const { agentProgram, database, log } = server;
  if (agentProgram === undefined) return;
  let told = false;
  while (!signal.aborted) {
    try {
      const bundle = await agentProgram.makeBundle();
      await storeRelease(database.kysely, bundle);
      log.info({ image: bundle.image, bytes: bundle.bytes.length }, 'A release of the agent is offered');
      // An agent that said hello before it was offered.
      await followRelease(database);
      return;
    } catch (error) {
      if (!told) log.warn({ err: error }, 'The release of the agent cannot be offered yet; trying again');
      told = true;
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 2_000);
      signal.addEventListener(
        'abort',
        () => {
          clearTimeout(timer);
          resolve();
        },
        { once: true },
      );
    });
  }
}
