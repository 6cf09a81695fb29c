import { writeSync } from 'node:fs';

/** Lines that the disk did not take. */
let missing = 0;

/**
 * A line on standard error. Where that is a file, Node's own stream is over for good after the first write that fails, and ends the
 * program besides: a full disk would be the end of an agent and of its log.
 */
export function writeLine(line: string): void {
  const lost =
    missing === 0
      ? ''
      : `${new Date().toISOString()} warn ${missing} lines are missing, since the disk of this log was full.\n`;
  try {
    writeSync(2, `${lost}${line}\n`);
    missing = 0;
  } catch {
    missing += 1;
  }
}
