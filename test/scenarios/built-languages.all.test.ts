import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { through } from '../agents/kept-machine.ts';
import { freePort } from '../ground/free-port.ts';
import { until } from '../ground/until.ts';
import { runBallast } from '../installation/ballast-command.ts';
import { Installation } from '../installation/installation.ts';

let installation: Installation;
let env: Record<string, string>;
const directory = mkdtempSync(join(tmpdir(), 'ballast-languages-'));

beforeAll(async () => {
  installation = await Installation.start('built-languages', {
    ...{ LOCAL_CLUSTER: 'true', LOCAL_DRIVER: 'process', INGRESS_PORT: String(await freePort()) },
    // Registries of packages, of this machine too.
    OUTBOUND_ALLOWED_RANGES: process.env.TEST_PACKAGE_RANGES ?? '203.0.113.0/24',
  });
  const { token } = await installation.token('admin');
  env = { ...installation.env, BALLAST_URL: installation.url, BALLAST_TOKEN: token };
  await until('the local cluster is ready', async () =>
    / ready /.test((await runBallast(['cluster', 'list'], env)).stdout),
  );
});
afterAll(async () => {
  await installation?.remove();
  rmSync(directory, { recursive: true });
});

type Files = Readonly<Record<string, string>>;

function folder(name: string, files: Files): string {
  for (const [path, content] of Object.entries(files)) {
    const file = join(directory, name, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return join(directory, name);
}

const flask = `from flask import Flask
app = Flask(__name__)

@app.route("/")
def hello():
    return "Hello from Flask"
`;
const plain = `import os
from http.server import BaseHTTPRequestHandler, HTTPServer

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"Hello from Python")

HTTPServer(("", int(os.environ["PORT"])), Handler).serve_forever()
`;
const go = `package main

import (
	"io"
	"net/http"
	"os"
)

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "Hello from Go") })
	if err := http.ListenAndServe(":"+os.Getenv("PORT"), nil); err != nil {
		panic(err)
	}
}
`;
const node = (name: string, more: object = {}): Files => ({
  'package.json': JSON.stringify({
    ...{ name, version: '1.0.0', dependencies: { 'escape-html': '1.0.3' }, scripts: { start: 'node server.js' } },
    ...more,
  }),
  'server.js': `const escape = require('escape-html');
require('http').createServer((q, a) => a.end('Hello from ' + escape('<${name}>'))).listen(process.env.PORT)`,
});

test.each<[string, Files, string]>([
  ['python', { 'requirements.txt': '', 'server.py': plain, Procfile: 'web: python server.py' }, 'Hello from Python'],
  ['flask', { 'requirements.txt': 'flask\n', 'app.py': flask }, 'Hello from Flask'],
  ['go', { 'go.mod': 'module example.com/hello\n\ngo 1.21\n', 'main.go': go }, 'Hello from Go'],
  ['pnpm', node('pnpm', { packageManager: 'pnpm@10.18.3' }), 'Hello from &lt;pnpm&gt;'],
  ['yarn', node('yarn', { packageManager: 'yarn@1.22.22' }), 'Hello from &lt;yarn&gt;'],
  ['bun', { ...node('bun', { packageManager: 'bun@1.3.0' }) }, 'Hello from &lt;bun&gt;'],
])('%s is built on the cluster and answers', async (name, files, body) => {
  const words = ['deploy', folder(name, files), '--project', name, '--service', 'web', '--yes', '--json'];
  const { code, stdout, stderr } = await runBallast(words, env);
  expect({ code, stderr }).toEqual({ code: 0, stderr });
  const { addresses }: { addresses: string[] } = JSON.parse(stdout);
  const { hostname, port } = new URL(addresses[0] ?? '');
  expect((await through(`http://127.0.0.1:${port}`, hostname)).body).toBe(body);
});
