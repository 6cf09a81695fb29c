import { text } from 'node:stream/consumers';
import type { Client } from '../../link/client.ts';
import { isAway, isAwayStatus } from '../../link/link-failure.ts';
import { RegistryRefusal, type RegistryWay } from './registry-way.ts';

/** By the link of the agent, with its credential. A build that is done is not lost since the control plane is away: its time limit ends it. */
export function agentWay(client: Pick<Client, 'registry' | 'address'>, signal: AbortSignal): RegistryWay {
  return {
    host: client.address,
    isAway: (error) => (error instanceof RegistryRefusal ? isAwayStatus(error.status) : isAway(error)),
    async ask(method, path, sent) {
      const answer = await client.registry(method, path.replace(/^\/v2\//, ''), sent, signal);
      return { status: answer.statusCode ?? 0, headers: answer.headers, text: await text(answer) };
    },
  };
}
