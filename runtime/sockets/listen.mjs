// Makes the sockets that it inherited listen, and ends at once: a process that stays would accept connections. Plain
// JavaScript, because every start waits for it. Its arguments are the descriptors; it prints the code of a failure.
import { createServer } from 'node:net';

const backlog = 4096;
const sockets = process.argv.slice(2).map(Number);
let left = sockets.length;
for (const fd of sockets) {
  createServer()
    .once('error', (error) => {
      process.stdout.write(`${fd} ${error.code}`, () => process.exit(1));
    })
    // In the very turn in which the last one listens: nothing can have been accepted yet.
    .listen({ fd }, backlog, () => {
      left -= 1;
      if (left === 0) process.exit(0);
    });
}
