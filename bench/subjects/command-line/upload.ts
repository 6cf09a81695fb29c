import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open as openFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pack } from 'tar-stream';
import { uploadFolder } from '../../../cli/build/upload-folder.ts';
import { Rest } from '../../../cli/engine/rest.ts';
import type { Benchmark, Opened } from '../../engine/benchmark.ts';
import { openGround } from '../../ground/ground.ts';
import { bearer, seedService, seedTeams } from '../../ground/seed.ts';
import { startApi } from '../../ground/servers.ts';

const count = 20_000;
const bytesEach = 3_000;

const rows = { first: `first upload of a folder of ${count.toLocaleString('en')} files of 3 kB` } as const;

/** The files of a folder into one archive on the disk, and the same files into the registry, each a blob. */
export const upload: Benchmark = {
  name: 'upload',
  what: 'uploading a folder of small files, beside writing them into one tar',
  rows: [{ name: rows.first, unit: 's', better: 'less', mostBeside: () => 30 }],
  rounds: 3,
  open,
};

async function open(): Promise<Opened> {
  await using opening = new AsyncDisposableStack();
  const ground = opening.use(await openGround());
  const { organizationId } = await seedTeams(ground.database);
  const { serviceId, secret } = await seedService(ground.database, organizationId);
  const target = { path: `/api/v1/organizations/${organizationId}`, headers: bearer(secret) };
  const api = opening.use(await startApi(ground, target, { REGISTRY_DIRECTORY: ground.file('registry') }));
  const token = ground.file('token');
  await writeFile(token, secret, { mode: 0o600 });
  const rest = new Rest({ url: api.url, 'token-file': token });
  const folder = ground.file('folder');
  const opened = opening.move();

  return {
    async reference() {
      await fill(folder);
      return { [rows.first]: await seconds(() => writeTar(folder, ground.file('folder.tar'))) };
    },
    async subject() {
      await fill(folder);
      const to = { project: { slug: 'shop' }, service: { id: serviceId, slug: 'web' } };
      const place = { rest, organization: { slug: 'acme' } as never };
      return { [rows.first]: await seconds(() => uploadFolder(place, to, folder)) };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** New content each time, so that no blob is there already. */
async function fill(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  for (let at = 0; at < count; at += 100) {
    await mkdir(join(folder, `d${at}`), { recursive: true });
    await Promise.all(paths(at).map((path) => writeFile(join(folder, path), randomBytes(bytesEach))));
  }
}

function paths(at: number): string[] {
  return Array.from({ length: 100 }, (_, index) => `d${at}/f${index}`);
}

async function writeTar(folder: string, path: string): Promise<void> {
  const archive = pack();
  const written = pipeline(archive, createWriteStream(path));
  for (let at = 0; at < count; at += 100) {
    for (const name of paths(at)) {
      await pipeline(createReadStream(join(folder, name)), archive.entry({ name, size: bytesEach }));
    }
  }
  archive.finalize();
  await written;
  const file = await openFile(path, 'r+');
  await file.sync();
  await file.close();
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}
