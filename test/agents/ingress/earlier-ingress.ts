import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { IngressFiles } from '../../../agent/ingress/ingress-files.ts';
import { identify } from '../../../machine/process-identity.ts';

/** Stands in for the ingress of version 0.1: it holds its socket itself, and hands it over as that one did. */
const files = new IngressFiles(process.argv[2] ?? '');
const control = join(files.directory, 'earlier.sock');
const door = createServer((_, answer) => answer.end('earlier'));
const mine = identify(process.pid);
if (mine === undefined) throw new Error('The process does not find itself.');

const orders = createServer(async (asked, answer) => {
  if (asked.url !== '/hand-over') {
    answer.end('{"generation":0,"inFlight":{}}');
    return;
  }
  const { program, digest } = (await json(asked)) as { program: string[]; digest: string };
  const [file = '', ...words] = program;
  const place = ['--directory', files.directory, '--port', String(port()), '--listen', '127.0.0.1'];
  const successor = spawn(file, [...words, ...place, '--digest', digest, '--inherit'], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  successor.on('message', (message) => {
    if (message === 'waiting') successor.send('socket', door);
    if (message !== 'ready') return;
    successor.disconnect();
    answer.end(JSON.stringify({ pid: successor.pid }), () => {
      door.close();
      orders.close();
    });
  });
});

function port(): number {
  const address = door.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

orders.listen(control, () => {
  door.listen(0, '127.0.0.1', () => {
    files.writeServing({ ...mine, digest: 'earlier', listen: '127.0.0.1', port: port(), control });
  });
});
