import type { OutboundRules } from '../rules.ts';
import type { Resolve } from '../target.ts';
import { type AttemptAnswer, attempt } from './attempt.ts';
import { chatText } from './chat-text.ts';
import type { ChannelMessage } from './message.ts';

/** Sends a message to an incoming webhook, whose address is its secret. */
export async function sendChat(
  url: string,
  message: ChannelMessage,
  rules: OutboundRules,
  resolve?: Resolve,
): Promise<AttemptAnswer> {
  return await attempt(url, { text: chatText(message) }, { rules, resolve });
}
