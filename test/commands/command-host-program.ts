import { closeSync, createReadStream, openSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Order, Told } from './command-host.ts';

/** Evaluated anew for each command, by an address of its own; what it imports stays loaded. */
const main = new URL('../../cli/main.ts', import.meta.url);
const inputFile = process.argv[2] ?? '';
const exit = process.exit.bind(process);

/** How the command under way ends; undefined when it has been told. */
let under: { out: Buffer[]; err: Buffer[] } | undefined;

function captured(stream: 'out' | 'err') {
  return (chunk: string | Uint8Array, ...more: unknown[]): boolean => {
    under?.[stream].push(Buffer.from(chunk as string));
    const done = more.find((one) => typeof one === 'function');
    if (done !== undefined) process.nextTick(done as () => void);
    return true;
  };
}
process.stdout.write = captured('out');
process.stderr.write = captured('err');

function tell(code: number, last = false): void {
  if (under === undefined) return;
  const [out, err] = [under.out, under.err].map((pieces) => Buffer.concat(pieces).toString('utf8'));
  under = undefined;
  process.send?.({ ended: { code, out, err }, last } as Told, () => {
    if (last) exit(code);
  });
}

// The next command gets another host: what this one left open ends with its process.
process.exit = (code) => {
  tell(Number(code ?? process.exitCode ?? 0), true);
  throw new Error('This process has ended.');
};

let number = 0;

async function run({ words, env, cwd, input }: Order): Promise<void> {
  under = { out: [], err: [] };
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.argv = [process.execPath, fileURLToPath(main), ...words];
  // The lowest number that is free is taken: this is the standard input, also for what reads it by that number.
  closeSync(0);
  if (input !== '') writeFileSync(inputFile, input);
  openSync(input === '' ? '/dev/null' : inputFile, 'r');
  const stdin = createReadStream('', { fd: 0, autoClose: false });
  Object.defineProperty(process, 'stdin', { value: stdin, configurable: true });
  process.exitCode = undefined;
  number += 1;
  await import(`${main.href}?${number}`);
  const code = Number(process.exitCode ?? 0);
  process.exitCode = undefined;
  process.removeAllListeners('SIGINT');
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error');
  tell(code);
}

process.on('message', (order: Order) => void run(order));
process.on('disconnect', () => exit());
