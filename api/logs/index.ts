import { streamLogs } from './stream-logs.ts';

export const logs = { logs: streamLogs };
