import { cancelCommand } from './cancel-command.ts';
import { createCommand } from './create-command.ts';
import { getCommand } from './get-command.ts';
import { streamCommand } from './stream-command.ts';

export const commands = { create: createCommand, get: getCommand, cancel: cancelCommand, stream: streamCommand };
