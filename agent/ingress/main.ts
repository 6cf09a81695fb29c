import { fullDisk } from '../../machine/full-disk.ts';
import { collectWhenIdle } from '../../machine/idle-collection.ts';
import { writeLine } from '../../machine/line-output.ts';
import { IngressFiles } from './ingress-files.ts';
import { Serving, servingOptions } from './serving.ts';
import { takeOver } from './socket/take-over.ts';

/** An unexpected error in one request must not end all the others. */
process.on('uncaughtException', (error) =>
  say(fullDisk(error)?.sentence ?? `unexpected: ${error.stack ?? error.message}`),
);
process.on('SIGHUP', () => undefined);

function say(text: string): void {
  writeLine(`${new Date().toISOString()} ${text}`);
}

try {
  const options = servingOptions(process.argv.slice(2));
  const files = new IngressFiles(options.directory);
  if (options.inherit) {
    await takeOver(options, files);
    process.exit(0);
  }
  const serving = new Serving(options, files);
  if (!(await serving.start())) {
    say('another ingress serves already');
    process.exit(0);
  }
  for (const name of ['SIGTERM', 'SIGINT']) process.on(name, () => serving.replace());
  collectWhenIdle();
  say(`serving as process ${process.pid}`);
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
