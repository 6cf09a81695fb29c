import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IssuerState } from './job-issuer.ts';

/** An OpenID issuer of CI jobs: nothing but its discovery document and its keys. `test/identity/job-issuer.ts` starts and steers it. */
let state: IssuerState = { keys: [] };
let asked = 0;

const server = createServer((request, answer) => {
  asked += 1;
  const { port } = server.address() as AddressInfo;
  const here = `http://127.0.0.1:${port}`;
  const answers: Record<string, unknown> = {
    '/.well-known/openid-configuration': { issuer: state.issuer ?? here, jwks_uri: `${here}/keys` },
    '/keys': { keys: state.keys },
  };
  const body = answers[request.url ?? ''];
  const send = () => {
    answer.writeHead(body === undefined ? 404 : (state.status ?? 200), { 'content-type': 'application/json' });
    answer.end(JSON.stringify(body ?? {}));
  };
  if (state.silent !== true) send();
});

process.on('message', (message: IssuerState | 'how often') => {
  if (message !== 'how often') state = message;
  process.send?.({ asked });
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
