import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Server } from 'node:net';

/** The network is the sandbox's own, so that the port is the same in each. */
export const proxyPort = 3128;
const address = `http://127.0.0.1:${proxyPort}`;
const direct = 'localhost,127.0.0.1,::1';

/**
 * Run by Node inside the network of a sandbox: opens the socket at which the sandbox finds its proxy, hands it to the agent,
 * and ends. A socket stays in the network that it was opened in, so the agent serves it, and nothing has to run inside.
 */
export const listen = `process.on('disconnect', () => process.exit(1));
require('node:net').createServer().listen(${proxyPort}, '127.0.0.1', function () {
  process.send('proxy', this, () => process.exit());
});`;

/** Java asks no other variable for its way out. Maven's own client asks for that only where it is told to. */
const javaOptions = [
  ...['http', 'https'].map((kind) => `-D${kind}.proxyHost=127.0.0.1 -D${kind}.proxyPort=${proxyPort}`),
  '-Daether.connector.http.useSystemProperties=true',
].join(' ');

/** By these, programs find the proxy. */
export const proxyVariables: Readonly<Record<string, string>> = {
  ...{ HTTP_PROXY: address, HTTPS_PROXY: address, http_proxy: address, https_proxy: address },
  ...{ npm_config_proxy: address, npm_config_https_proxy: address, npm_config_noproxy: direct },
  ...{ YARN_HTTP_PROXY: address, YARN_HTTPS_PROXY: address },
  ...{ NO_PROXY: direct, no_proxy: direct, JAVA_TOOL_OPTIONS: javaOptions },
};

const authorities = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt'];

/**
 * Most programs trust whom the machine trusts; Node, uv and what is written with Python's requests bring authorities of their own,
 * and have to be told of those that the machine's owner has added.
 */
export function trustOfMachine(): Record<string, string> {
  const file = authorities.find((path) => existsSync(path));
  return file === undefined ? {} : { NODE_EXTRA_CA_CERTS: file, SSL_CERT_FILE: file, REQUESTS_CA_BUNDLE: file };
}

/** The child's messages: the one that brings the socket. Undefined if it ends without one. */
export function socketOf(child: ChildProcess): Promise<Server | undefined> {
  return new Promise((resolve) => {
    child.once('message', (_, server) => resolve(server as Server));
    child.once('exit', () => resolve(undefined));
    child.once('error', () => resolve(undefined));
  });
}
