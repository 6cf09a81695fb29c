import type { ActorKind } from '../../workflows/descriptors.ts';
import type { Messages } from '../../workflows/mailbox.ts';

/** The messages of a kind of actor, from the one export of its state.ts that ends so. */
export async function messagesOf(kind: ActorKind): Promise<Messages> {
  const module: Record<string, unknown> = await import(`../../workflows/${kind}/state.ts`);
  const found = Object.entries(module).find(([name]) => name.endsWith('Messages'))?.[1];
  if (typeof found !== 'object' || found === null) throw new Error(`workflows/${kind}/state.ts exports no messages.`);
  return found as Messages;
}
