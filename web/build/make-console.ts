import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';

const compressible = /\.(?:js|css|html|svg)$/;

/** Builds the console into this directory, each file that gains by it also compressed: nobody compresses while serving. */
export async function makeConsole(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  await build({
    configFile: join(import.meta.dirname, '..', 'vite.config.ts'),
    // As it is: the default writes a copy of it beside the packages, where the checkout may not be writable.
    configLoader: 'native',
    mode: 'production',
    logLevel: 'warn',
    build: { outDir: directory, emptyOutDir: true },
  });
  const files = await readdir(directory, { recursive: true });
  await Promise.all(files.filter((file) => compressible.test(file)).map((file) => compressed(join(directory, file))));
}

async function compressed(file: string): Promise<void> {
  const bytes = await readFile(file);
  const brotli = promisify(brotliCompress)(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  });
  const [br, gz] = await Promise.all([brotli, promisify(gzip)(bytes, { level: 9 })]);
  await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)]);
}

if (import.meta.main) {
  process.env.NODE_ENV = 'production';
  const [directory] = process.argv.slice(2);
  if (directory === undefined) throw new Error('Say into which directory.');
  await makeConsole(directory);
}
