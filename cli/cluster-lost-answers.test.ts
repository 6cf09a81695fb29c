import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { joinedCluster, shopFile } from '../test/clusters/joined-cluster.ts';

const joined = await joinedCluster();
const { api, ballast } = joined;
afterAll(() => joined.close());

test('a change whose answer is lost is asked for again, and made once', async () => {
  const { port, hostname } = new URL(api.url);
  let lost = 0;
  const lossy = createServer((asked, answer) => {
    const onward = request({ port, hostname, path: asked.url, method: asked.method, headers: asked.headers }, (got) => {
      const loses = lost < 2 && (asked.method === 'PUT' || lost === 0);
      if (!loses) return void got.pipe(answer.writeHead(got.statusCode ?? 0, got.headers));
      lost += 1;
      got.resume().once('end', () => asked.socket.destroy());
    });
    asked.pipe(onward);
  });
  await once(lossy.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(lossy.address() as AddressInfo).port}`;
  const once_ = shopFile.replaceAll('shop', 'once');
  const applied = await ballast(['cluster', 'apply', '-', '--no-wait'], { input: once_, env: { BALLAST_URL: url } });
  lossy.close();
  expect([applied.code, lost]).toEqual([0, 2]);
  const records = await api.database.kysely
    .selectFrom('audit_record')
    .select('id')
    .where('subject_name', '=', 'once')
    .execute();
  expect(records).toHaveLength(1);
});

test('a control plane that answers, and cannot work, is not said to be started', async () => {
  const server = createServer((_, answer) => {
    answer.writeHead(503, { 'content-type': 'application/problem+json' });
    answer.end(JSON.stringify({ detail: 'PostgreSQL does not answer.' }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const refused = await ballast(['cluster', 'list'], { env: { BALLAST_URL: url } });
  server.close();
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toBe(
    'ballast: PostgreSQL does not answer; it is tried again for 3 s.\nballast: PostgreSQL does not answer; try again later, or see what `./ballast doctor` says there.\n',
  );
});
