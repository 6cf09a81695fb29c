import { text } from 'node:stream/consumers';
import type { Client } from '../../link/client.ts';
import type { RegistryWay } from './registry-way.ts';

/** By the link of the agent, with its credential. */
export function agentWay(client: Pick<Client, 'registry' | 'address'>, signal: AbortSignal): RegistryWay {
  return {
    host: client.address,
    async ask(method, path, sent) {
      const answer = await client.registry(method, path.replace(/^\/v2\//, ''), sent, signal);
      return { status: answer.statusCode ?? 0, headers: answer.headers, text: await text(answer) };
    },
  };
}
