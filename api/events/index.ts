import { streamEvents } from './stream-events.ts';

export const events = { stream: streamEvents };
