import { existsSync } from 'node:fs';
import { commandedMessages } from '../../workflows/commanded.ts';
import type { ActorKind } from '../../workflows/descriptors.ts';
import type { Messages } from '../../workflows/mailbox.ts';

/** The messages of a kind of actor, from the one export of its state.ts that ends so; without one, those of all that ask an agent. */
export async function messagesOf(kind: ActorKind): Promise<Messages> {
  const own = new URL(`../../workflows/${kind}/state.ts`, import.meta.url);
  if (!existsSync(own)) return commandedMessages;
  const module: Record<string, unknown> = await import(own.href);
  const found = Object.entries(module).find(([name]) => name.endsWith('Messages'))?.[1];
  if (typeof found !== 'object' || found === null) throw new Error(`workflows/${kind}/state.ts exports no messages.`);
  return found as Messages;
}
