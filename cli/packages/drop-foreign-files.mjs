// Runs after every `npm ci`, by `postinstall` of package.json. Some packages carry the programs of all platforms at once, the
// headers and sources to compile them, or a third build of the same code: a quarter of all that is installed, and nothing
// here ever opens it.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** As Temporal's core bridge names its folders. */
const ownTarget = `${{ x64: 'x86_64', arm64: 'aarch64' }[process.arch]}-${
  { linux: 'unknown-linux-gnu', darwin: 'apple-darwin' }[process.platform]
}`;

function foreignFiles(packages) {
  const bridge = join(packages, '@temporalio', 'core-bridge');
  const releases = join(bridge, 'releases');
  return [
    // Without its own program the package is left whole: then the layout is not the one that is known here.
    ...(existsSync(join(releases, ownTarget))
      ? [
          ...named(releases, /./)
            .filter((name) => name !== ownTarget)
            .map((name) => join(releases, name)),
          ...['sdk-core', 'src', 'bridge-macros', 'Cargo.lock'].map((name) => join(bridge, name)),
        ]
      : []),
    // The pinned Node's headers, for native addons that nobody compiles here.
    join(packages, `node-${process.platform}-${process.arch}`, 'include'),
    // The newest syntax, beside builds for Node (`src`) and for bundlers (`esm`).
    ...named(join(packages, '@opentelemetry'), /./).map((name) =>
      join(packages, '@opentelemetry', name, 'build', 'esnext'),
    ),
    // Addons for another runtime, Bare, that come with tar-stream.
    ...named(packages, /^bare-/).map((name) => join(packages, name, 'prebuilds')),
  ];
}

function named(directory, pattern) {
  return existsSync(directory) ? readdirSync(directory).filter((name) => pattern.test(name)) : [];
}

const packages = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'node_modules');
for (const path of foreignFiles(packages)) rmSync(path, { recursive: true, force: true });
