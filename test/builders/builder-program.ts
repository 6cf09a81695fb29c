import { builderImage } from '../../agent/builders/build-settings.ts';
import { Builders } from '../../agent/builders/builders.ts';
import { Client } from '../../agent/link/client.ts';
import { buildBody } from '../../protocol/build.ts';

// A process of its own that builds, to be killed while it does.
const [home = '', url = '', credential = '', id = '', body = '', socket] = process.argv.slice(2);
const client = new Client({ url, credential: () => credential });
const settings = {
  ...{ environment: {}, allowedRanges: ['127.0.0.0/8'], cacheBytes: 2 ** 30, baseImages: {}, builderImage },
  limits: { memoryBytes: 2 ** 31, diskBytes: 2 ** 33, seconds: 3_600 },
};
const builders = new Builders({ home, client, driver: socket === undefined ? 'process' : 'docker', socket, settings });
const { signal } = new AbortController();
const output = (stream: string, bytes: Buffer) => void (stream === 'stdout' && process.stdout.write(bytes));
const run = { id, starts: 1, signal, output, began: () => {} };
const result = await builders.build(buildBody.parse(JSON.parse(body)), run);
process.stdout.write(`${JSON.stringify(result)}\n`);
client.close();
