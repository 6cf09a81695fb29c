import { callback } from './callback.ts';
import { config } from './config.ts';
import { start } from './start.ts';

export const auth = { start, callback, config };
