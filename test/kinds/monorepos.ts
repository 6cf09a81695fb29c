import { type Kind, nodeKind, packageJson } from './kind.ts';

/** A package whose build makes what the application needs. */
const words = (name: string): Kind['files'] => ({
  'packages/words/package.json': packageJson({
    ...{ name: 'words', main: 'dist/words.js', scripts: { build: 'node build.js' } },
  }),
  'packages/words/build.js': `const fs = require('fs');
fs.mkdirSync('dist', { recursive: true });
fs.writeFileSync('dist/words.js', 'module.exports = "Hello from ${name}"');
`,
});
const server = `const words = require('words');
require('http').createServer((_, answer) => answer.end(words)).listen(process.env.PORT);
`;

const npm: Kind = {
  ...nodeKind(
    'npm-workspaces',
    {
      'package.json': packageJson({ name: 'all', workspaces: ['apps/*', 'packages/*'] }),
      ...words('npm-workspaces'),
      'apps/web/package.json': packageJson({
        ...{ name: 'web', dependencies: { words: '1.0.0' }, scripts: { start: 'node server.js' } },
      }),
      'apps/web/server.js': server,
    },
    { framework: '' },
  ),
  context: 'apps/web',
};

const pnpm: Kind = {
  ...nodeKind(
    'pnpm-workspaces',
    {
      'package.json': packageJson({ name: 'all', packageManager: 'pnpm@10.18.3' }),
      'pnpm-workspace.yaml': "packages:\n  - 'apps/*'\n  - 'packages/*'\n",
      ...words('pnpm-workspaces'),
      'apps/web/package.json': packageJson({
        name: 'web',
        dependencies: { words: 'workspace:*', 'escape-html': '1.0.3' },
        scripts: { build: 'node build.js', start: 'node server.js' },
      }),
      'apps/web/build.js': `const words = require('words');
require('fs').writeFileSync('words.json', JSON.stringify(require('escape-html')(words)));
`,
      'apps/web/server.js': server.replace("require('words')", "require('./words.json')"),
    },
    { framework: '', manager: 'pnpm' },
  ),
  context: 'apps/web',
};

const cargo: Kind = {
  name: 'cargo-workspace',
  files: {
    'Cargo.toml': '[workspace]\nmembers = ["server", "words"]\nresolver = "2"\n',
    'words/Cargo.toml': '[package]\nname = "words"\nversion = "1.0.0"\nedition = "2021"\n',
    'words/src/lib.rs': 'pub const HELLO: &str = "Hello from cargo-workspace";\n',
    'server/Cargo.toml': `[package]
name = "server"
version = "1.0.0"
edition = "2021"

[dependencies]
words = { path = "../words" }
`,
    'server/src/main.rs': `use std::io::{Read, Write};
use std::net::TcpListener;

fn main() {
    let port = std::env::var("PORT").unwrap();
    for stream in TcpListener::bind(format!("0.0.0.0:{port}")).unwrap().incoming() {
        let mut stream = stream.unwrap();
        let _ = stream.read(&mut [0; 4096]);
        let length = words::HELLO.len();
        let head = format!("HTTP/1.1 200 OK\\r\\nContent-Length: {length}\\r\\nConnection: close\\r\\n\\r\\n");
        let _ = write!(stream, "{head}{}", words::HELLO);
    }
}
`,
  },
  context: 'server',
  answers: { path: '/', includes: 'Hello from cargo-workspace' },
  programs: ['cargo', 'rustc', 'cc'],
  detected: { provider: 'rust', framework: '', packageManager: 'cargo', port: 8080 },
};

export const monorepoKinds: readonly Kind[] = [npm, pnpm, cargo];
