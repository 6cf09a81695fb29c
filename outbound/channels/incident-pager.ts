import { type AttemptAnswer, type AttemptOptions, attempt } from './attempt.ts';
import { cut } from './cut.ts';
import { type ChannelMessage, linkText, titleOf } from './message.ts';

/** An incident is opened and resolved by the same key; what comes twice is one incident there, too. */
export type PagerEvent =
  | {
      action: 'trigger';
      dedupKey: string;
      message: ChannelMessage;
      severity: 'error' | 'warning' | 'info';
      /** What is affected. */
      source: string;
    }
  | { action: 'resolve'; dedupKey: string };

export interface Pager extends AttemptOptions {
  /** `NOTIFICATION_PAGER_URL`. */
  pagerUrl: string;
}

const mostOfSummary = 1_024;

/** Opens or resolves an incident: PagerDuty's Events API v2. */
export async function sendPagerEvent(routingKey: string, event: PagerEvent, pager: Pager): Promise<AttemptAnswer> {
  return await attempt(`${pager.pagerUrl}/v2/enqueue`, { routing_key: routingKey, ...eventBody(event) }, pager);
}

/** Tells of a change, which pages nobody. */
export async function sendPagerChange(
  routingKey: string,
  message: ChannelMessage,
  pager: Pager,
): Promise<AttemptAnswer> {
  const change = { routing_key: routingKey, ...described(message, { source: new URL(message.link).host }) };
  return await attempt(`${pager.pagerUrl}/v2/change/enqueue`, change, pager);
}

function eventBody(event: PagerEvent): object {
  const keys = { event_action: event.action, dedup_key: event.dedupKey };
  if (event.action === 'resolve') return keys;
  const { message, source, severity } = event;
  return { ...keys, ...described(message, { source, severity }), client: 'Ballast' };
}

function described(message: ChannelMessage, more: { source: string; severity?: string }): object {
  const summary = cut(titleOf(message), mostOfSummary);
  return {
    payload: { summary, ...more, custom_details: { body: message.body } },
    links: [{ href: message.link, text: linkText }],
  };
}
