import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** An ingress that serves, or fails, only when its test says so: a file in its directory, as on a machine that is very busy. */
const directory = process.argv[process.argv.indexOf('--directory') + 1] ?? '';
const [begun, fail, serve] = ['begun', 'fail', 'serve'].map((name) => join(directory, name)) as [
  string,
  string,
  string,
];
writeFileSync(begun, '');
while (!existsSync(serve)) {
  if (existsSync(fail)) {
    rmSync(fail);
    process.exit(1);
  }
  await pause(10);
}
await import('../../../agent/ingress/main.ts');
