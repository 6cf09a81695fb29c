import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { Problem } from '../../../domain/problems.ts';
import { problemBody } from '../problems/problem-answer.ts';
import { destroySoon } from './destroy-soon.ts';

interface BrokenRequest extends Error {
  code: string;
}

const lasting = new WeakSet<Socket>();

/**
 * A body that an admitted client may take its time to send, since it is large; silence still ends the connection.
 * Returns how to say that it has arrived.
 */
export function bodyLasts(socket: Socket): () => void {
  lasting.add(socket);
  return () => void lasting.delete(socket);
}

/** Bytes that cannot be parsed as HTTP. There is no request yet, so the answer is written by hand. */
export function answerBrokenRequest(error: BrokenRequest, socket: Socket): void {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && lasting.has(socket)) return;
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = problemOf(error.code);
  const body = JSON.stringify(problemBody(problem));
  const head = [
    `HTTP/1.1 ${problem.status} ${problemBody(problem).title}`,
    'Content-Type: application/problem+json',
    `X-Request-Id: ${randomUUID()}`,
    ...(problem.code === 'method-not-allowed' ? ['Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'] : []),
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  destroySoon(socket);
}

function problemOf(code: string): Problem {
  if (code === 'HPE_INVALID_METHOD') {
    return new Problem('method-not-allowed', 'This method is not known; use one that the reference at /docs names.');
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    // Browsers open connections before they need them, and send a request again that meets a 408 there, and no other answer.
    return new Problem('request-timeout', 'The request took longer to arrive than the server waits; send it again.');
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new Problem('invalid-request', 'The headers of the request are too large; send fewer or shorter ones.');
  }
  return new Problem('invalid-request', 'The request is not valid HTTP.');
}
