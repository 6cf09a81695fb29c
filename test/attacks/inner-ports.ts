import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect as connectPlainly } from 'node:net';
import { connect } from 'node:tls';
import { certificateFiles, serverName } from '../../runtime/home/certificates.ts';
import type { Home } from '../../runtime/home/home.ts';

/** Addresses that a process listens on, by its open files. */
export function listening(pid: number): { address: string; port: number }[] {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => /^socket:\[(\d+)\]$/.exec(link(`/proc/${pid}/fd/${fd}`))?.[1] ?? []),
  );
  return ['tcp', 'tcp6']
    .flatMap((kind) => readFileSync(`/proc/${pid}/net/${kind}`, 'utf8').trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === '0A' && inodes.has(inode ?? ''))
    .map(([, local = '']) => ({
      address: local.split(':')[0] ?? '',
      port: Number.parseInt(local.split(':')[1] ?? '', 16),
    }));
}

function link(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}

/** The answer to an HTTP request without TLS. */
export function answersPlainly(port: number): Promise<string> {
  return new Promise((resolve) => {
    let said = '';
    const socket = connectPlainly(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'));
    socket.on('data', (chunk) => {
      said += chunk.toString('latin1');
    });
    // Servers of TLS answer with an alert, or with Go's sentence, and hang up.
    socket.on('close', () =>
      resolve(said.startsWith('\x15') || /HTTP request to an HTTPS server/.test(said) ? '' : said),
    );
    socket.on('error', () => {});
  });
}

/** The answer to a TLS client without a certificate. */
export function answersStranger(port: number): Promise<string> {
  return new Promise((resolve) => {
    let said = '';
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['h2'] });
    socket.on('secureConnect', () => socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'));
    socket.on('data', (chunk) => {
      said += chunk.toString('latin1');
    });
    socket.on('close', () => resolve(said));
    socket.on('error', () => {});
  });
}

/** Whether it speaks TLS at all, as Temporal, to somebody with our certificate. */
export function admitsUs(home: Home, port: number): Promise<boolean> {
  const { ca, clientCert, clientKey } = certificateFiles(home);
  return new Promise((resolve) => {
    const [authority, cert, key] = [ca, clientCert, clientKey].map((file) => readFileSync(file));
    const socket = connect({ port, host: '127.0.0.1', ca: authority, cert, key, servername: serverName });
    socket.on('secureConnect', () => {
      resolve(socket.authorized);
      socket.destroy();
    });
    socket.on('error', () => resolve(false));
  });
}
