import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { notRun } from '../run/not-run.ts';
import type { Kind } from './kind.ts';

/** Builds see the programs of the system alone. */
const systemPath = ['/usr/local/go/bin', '/usr/local/bin', '/usr/bin', '/bin'];

/** Whether the programs that a kind needs are there; says what is missing if not. */
export function canRun({ name, programs }: Kind): boolean {
  const missing = programs.filter((program) => !systemPath.some((directory) => existsSync(join(directory, program))));
  if (missing.length > 0) notRun(`the kind ${name}`, `install ${missing.join(', ')} beneath /usr`);
  return missing.length === 0;
}

/** Networks of this machine's registries of packages, where they are private: builds reach no other ones. */
export const packageRanges = process.env.TEST_PACKAGE_RANGES ?? '203.0.113.0/24';
