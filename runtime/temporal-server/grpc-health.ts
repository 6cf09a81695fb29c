import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import type { CertificateFiles } from '../home/certificates.ts';
import { serverName } from '../home/certificates.ts';

/** `HealthCheckRequest { service = 1 }`, framed as gRPC does it: not compressed, length, message. */
function request(service: string): Buffer {
  const name = Buffer.from(service);
  const message = Buffer.concat([Buffer.from([0x0a, name.length]), name]);
  const frame = Buffer.alloc(5);
  frame.writeUInt32BE(message.length, 1);
  return Buffer.concat([frame, message]);
}

/** `HealthCheckResponse { status = SERVING }` in its frame. */
const serving = Buffer.from([0, 0, 0, 0, 2, 0x08, 0x01]);

/** Asks Temporal's frontend whether it serves, with our certificate: the standard health check of gRPC, by hand. */
export function temporalServes(port: number, files: CertificateFiles, timeoutMilliseconds = 2000): Promise<boolean> {
  return new Promise((resolve) => {
    const session = connect(`https://127.0.0.1:${port}`, {
      ca: readFileSync(files.ca),
      cert: readFileSync(files.clientCert),
      key: readFileSync(files.clientKey),
      servername: serverName,
      ALPNProtocols: ['h2'],
    });
    const timer = setTimeout(() => finish(false), timeoutMilliseconds);
    const finish = (answer: boolean): void => {
      clearTimeout(timer);
      session.destroy();
      resolve(answer);
    };
    session.once('error', () => finish(false));
    const stream = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const received: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => received.push(chunk));
    stream.once('error', () => finish(false));
    stream.once('end', () => finish(Buffer.concat(received).equals(serving)));
    stream.end(request('temporal.api.workflowservice.v1.WorkflowService'));
  });
}
