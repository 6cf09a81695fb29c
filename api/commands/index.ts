import { cancelCommand } from './cancel-command.ts';
import { createCommand } from './create-command.ts';
import { getCommand } from './get-command.ts';
import { streamCommand } from './stream-command.ts';
import { streamLogs } from './stream-logs.ts';

export const commands = { create: createCommand, get: getCommand, cancel: cancelCommand, stream: streamCommand };
export const workloadLogs = { logs: streamLogs };
