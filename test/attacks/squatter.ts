import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { generate } from 'selfsigned';

/** A foreign program on a port of this machine that passes itself off as PostgreSQL, as Temporal, or as a site. */
export interface Squatter {
  port: number;
  /** Bytes received in the clear, or through TLS from a client that accepted its certificate. */
  heard: Buffer[];
  /** How many have shown it a certificate of theirs, or believed its own. */
  admitted: number;
  /** How many began to speak TLS. */
  greeted: number;
  close(): Promise<void>;
}

/** `AuthenticationCleartextPassword`: the client's next message is its password. */
const askForPassword = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]);
const noTls = Buffer.from('N');
const sslRequest = 80_877_103;

/** Made once: nothing is to be waited for between the end of a server and the taking of its port. */
let certificate: ReturnType<typeof generate> | undefined;

/** Takes the port as soon as nobody else has it; 0: any. */
export async function squat(port: number): Promise<Squatter> {
  certificate ??= generate([{ name: 'commonName', value: 'temporal.ballast.internal' }], {
    keyType: 'ec',
    algorithm: 'sha256',
  });
  const { cert, private: key } = await certificate;
  const sockets = new Set<Socket>();
  const squatter: Squatter = { port, heard: [], admitted: 0, greeted: 0, close };
  const secure = createTlsServer({ cert, key, requestCert: true, rejectUnauthorized: false, ALPNProtocols: ['h2'] });
  secure.on('secureConnection', (through) => {
    // With TLS 1.3 a server is done before its client has looked at the certificate; only what comes then counts.
    if (Object.keys(through.getPeerCertificate()).length > 0) squatter.admitted += 1;
    through.on('data', (said: Buffer) => squatter.heard.push(said));
    through.on('error', () => {});
  });
  secure.on('tlsClientError', () => {});
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.once('data', (first: Buffer) => {
      const handshake = 0x16;
      if (first[0] === handshake) {
        squatter.greeted += 1;
        socket.pause();
        socket.unshift(first);
        secure.emit('connection', socket);
        return;
      }
      squatter.heard.push(first);
      socket.write(first.length === 8 && first.readUInt32BE(4) === sslRequest ? noTls : askForPassword);
      socket.on('data', (said: Buffer) => {
        squatter.heard.push(said);
        socket.write(askForPassword);
      });
    });
  });
  for (let bound = false; !bound; ) {
    server.listen(port, '127.0.0.1');
    bound = await once(server, 'listening').then(
      () => true,
      () => false,
    );
  }
  const address = server.address();
  if (typeof address === 'object' && address) squatter.port = address.port;
  return squatter;

  async function close(): Promise<void> {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  }
}
