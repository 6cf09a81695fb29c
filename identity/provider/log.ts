import type { Logger } from 'pino';
import { openProgramLog } from '../../machine/program-log.ts';

export function openLog(level: string): Logger {
  return openProgramLog({ process: 'identity', level, gather: true });
}
