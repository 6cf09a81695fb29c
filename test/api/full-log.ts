import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { openProgramLog } from '../../machine/program-log.ts';

const [how, filling] = process.argv.slice(2);
const log = openProgramLog({ process: 'test', level: 'info', gather: how === 'gathered', fd: 2 });
/** More than what may wait. */
for (let count = 0; count < 300; count += 1) {
  log.info('x'.repeat(8_000));
  await pause(1);
}
if (filling !== undefined) rmSync(filling);
await pause(1_000);
const full = (code: string, more: object) => Object.assign(new Error('could not extend file'), { code, ...more });
log.warn({ err: full('53100', {}) }, 'Once');
log.warn({ err: new Error('Of another', { cause: full('53100', {}) }) }, 'Twice');
log.warn({ err: full('ENOSPC', { path: '/home/file', syscall: 'open' }) }, 'Of another disk');
await pause(500);
process.stdout.write('to its end');
