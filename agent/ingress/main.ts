import { once } from 'node:events';
import { Server } from 'node:net';
import { IngressFiles } from './ingress-files.ts';
import { Serving } from './serving.ts';
import { servingOptions } from './serving-options.ts';

/** An unexpected error in one request must not end all the others. */
process.on('uncaughtException', (error) => say(`unexpected: ${error.stack ?? error.message}`));
process.on('SIGHUP', () => undefined);

function say(text: string): void {
  process.stderr.write(`${new Date().toISOString()} ${text}\n`);
}

try {
  const options = servingOptions(process.argv.slice(2));
  const serving = new Serving(options, new IngressFiles(options.directory));
  process.on('SIGTERM', () => serving.stop());
  process.on('SIGINT', () => serving.stop());
  await serving.start(options.inherit ? await inherited() : undefined);
  process.send?.('ready');
  say(`serving as process ${process.pid}`);
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exit(1);
}

async function inherited(): Promise<Server> {
  const message = once(process, 'message');
  process.send?.('waiting');
  const [, handle] = await message;
  if (!(handle instanceof Server)) throw new Error('The ingress before this one sent no socket.');
  return handle;
}
