import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, expect, test } from 'vitest';
import { portOf } from '../../../machine/test-ground.ts';
import { buildGround } from '../../../test/builders/build-ground.ts';
import { allowedBy } from '../builders.ts';

const ground = await buildGround();
afterAll(() => ground?.close());
const sandboxed = test.skipIf(ground === undefined);
const { run, sandbox } = ground ?? ({} as NonNullable<typeof ground>);

/** A command that tells of each line of the script what it printed. */
const script = (text: string) => `/opt/node/bin/node --input-type=module -e '${text}'`;

sandboxed('nothing leaves but through the proxy: no TCP, no UDP, no DNS, no socket of the machine', async () => {
  const reached: string[] = [];
  const tcp = createServer((socket) => {
    reached.push('tcp');
    socket.destroy();
  });
  const abstract = `\0ballast-test-${process.pid}`;
  const socket = createServer((client) => {
    reached.push('abstract');
    client.destroy();
  }).listen(abstract);
  await once(socket, 'listening');
  const port = await portOf(tcp, '0.0.0.0');
  const own = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []);
  try {
    const { end, out } = await run(
      script(`
        import { connect } from "node:net"; import dns from "node:dns/promises"; import { createSocket } from "node:dgram";
        import { networkInterfaces } from "node:os";
        const told = (to) => new Promise((done) => connect(to).on("connect", () => done("connected")).on("error", (error) => done(error.code)));
        console.log(Object.keys(networkInterfaces()).join());
        for (const host of ${JSON.stringify(own)}) console.log("tcp", await told({ host, port: ${port} }));
        console.log("public", await told({ host: "1.1.1.1", port: 443 }));
        console.log("abstract", await told({ path: "\\0ballast-test-${process.pid}" }));
        console.log("udp", await new Promise((done) => createSocket("udp4").send("x", 53, "1.1.1.1", (error) => done(error?.code))));
        console.log("dns", await new dns.Resolver({ timeout: 200, tries: 1 }).resolve4("example.com").catch(({ code }) => code));
        console.log("name", await dns.lookup("example.com").catch(({ code }) => code));
        process.exit();
      `),
    );
    expect({ end, out }).toEqual({
      end: { ended: 'exited', code: 0 },
      out: expect.stringMatching(
        /^lo\n(tcp (ECONNREFUSED|ENETUNREACH|EINVAL)\n)+public ENETUNREACH\nabstract ECONNREFUSED\nudp ENETUNREACH\ndns \w+\nname (ENOTFOUND|EAI_AGAIN)\n$/,
      ),
    });
    expect(reached).toEqual([]);
  } finally {
    socket.close();
  }
});

sandboxed('the proxy reaches what the rules allow, and a refusal is told at the end', async () => {
  const port = await portOf(createHttp((_, answer) => answer.end('from there')));
  const ask = script(`
    import http from "node:http";
    const proxy = new URL(process.env.HTTP_PROXY);
    http.get({ host: proxy.hostname, port: proxy.port, path: "http://127.0.0.1:${port}/" }, async (answer) => {
      for await (const bytes of answer) process.stdout.write(bytes);
      process.exitCode = answer.statusCode === 200 ? 0 : 1;
    });
  `);
  const sentence =
    '127.0.0.1 is a private address; the owner of the cluster can allow it by --build-allowed-ranges of its agent, on the local cluster by OUTBOUND_ALLOWED_RANGES.\n';
  const refused = await run(ask, {}, { ...sandbox, outbound: { allowedRanges: [], allowedBy } });
  expect(refused).toEqual({ end: { ended: 'exited', code: 1 }, out: sentence, err: `network: ${sentence}` });
  const allowed = await run(ask, {}, { ...sandbox, outbound: { allowedRanges: ['127.0.0.0/8'] } });
  expect(allowed).toEqual({ end: { ended: 'exited', code: 0 }, out: 'from there', err: '' });
});
