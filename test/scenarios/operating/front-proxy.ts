import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { notRun } from '../../run/not-run.ts';

export type ProxyName = 'nginx' | 'caddy';

/** The service of the proxy, in place of the names, ports and certificates of the examples. */
export interface Served {
  https: number;
  http: number;
  api: number;
  ingress: number;
  key: string;
  cert: string;
}

/** The host name of the control plane, and the parent domain of applications. */
export const names = { plane: 'localhost', applications: 'apps.localhost' };

const examples = join(import.meta.dirname, '../../../docs/operating');

export function example(name: string): string {
  return readFileSync(join(examples, name), 'utf8');
}

/** The program, if it is installed; says once that it is not. */
export function findProxy(name: ProxyName): string | undefined {
  const places = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  const found = places.map((place) => join(place, name)).find(isProgram);
  if (found === undefined) notRun(`behind ${name}`, `install ${name}`, name === 'nginx' ? 'nginx-light' : name);
  return found;
}

/** nginx or Caddy by the example of docs/operating, which is changed only where it says what is one's own. */
export class FrontProxy {
  readonly #directory = mkdtempSync(join(tmpdir(), 'ballast-proxy-'));
  readonly #child: ChildProcess;
  #said = '';

  constructor(name: ProxyName, program: string, served: Served) {
    const at = (file: string) => join(this.#directory, file);
    writeFileSync(at('key.pem'), served.key, { mode: 0o600 });
    writeFileSync(at('cert.pem'), served.cert);
    const [text, words] = name === 'nginx' ? nginx(at, served) : caddy(at, served);
    writeFileSync(at('config'), text);
    mkdirSync(at('temporary'));
    const env = {
      PATH: process.env.PATH,
      HOME: this.#directory,
      XDG_DATA_HOME: at('data'),
      XDG_CONFIG_HOME: at('data'),
    };
    this.#child = spawn(program, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (bytes) => {
        this.#said += bytes;
      });
  }

  /** Its own words, for a test that waits in vain. */
  get said(): string {
    return this.#said.slice(-4_000);
  }

  async close(): Promise<void> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode === null && signalCode === null) {
      const ended = once(this.#child, 'exit');
      this.#child.kill('SIGTERM');
      await ended;
    }
    rmSync(this.#directory, { recursive: true });
  }
}

type Made = [config: string, words: string[]];

function nginx(at: (file: string) => string, { https, http, ...served }: Served): Made {
  const site = changed(example('nginx.conf'), [
    [/^ *listen \[::\].*\n/gm, ''],
    [/listen 80;/g, `listen 127.0.0.1:${http};`],
    [/listen 443 /g, `listen 127.0.0.1:${https} `],
    [/\/etc\/ssl\/ballast\/\S+\.pem/g, at('cert.pem')],
    [/\/etc\/ssl\/ballast\/\S+\.key/g, at('key.pem')],
    ...upstreams(served),
  ]);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const config = [
    // Of root, workers would be another user, who may not enter a directory of the run.
    ...(process.getuid?.() === 0 ? ['user root;'] : []),
    `pid ${at('pid')};`,
    'events {}',
    'http {',
    'access_log off;',
    ...temporary.map((name) => `${name}_temp_path ${at('temporary')}/${name};`),
    site,
    '}',
  ];
  return [config.join('\n'), ['-e', 'stderr', '-g', 'daemon off;', '-p', at(''), '-c', at('config')]];
}

function caddy(at: (file: string) => string, { https, http, ...served }: Served): Made {
  const tls = `tls ${at('cert.pem')} ${at('key.pem')}`;
  const site = changed(example('Caddyfile'), [
    [/\ttls \S+ \S+/g, `\t${tls}`],
    // There the certificate is Caddy's own to fetch.
    [/^ballast\.example\.com \{/gm, `ballast.example.com {\n\t${tls}`],
    ...upstreams(served),
  ]);
  const global = `{\n\tadmin off\n\tdefault_bind 127.0.0.1\n\thttp_port ${http}\n\thttps_port ${https}\n\tskip_install_trust\n}\n`;
  return [`${global}${site}`, ['run', '--adapter', 'caddyfile', '--config', at('config')]];
}

type Change = readonly [what: RegExp, by: string];

function upstreams({ api, ingress }: Pick<Served, 'api' | 'ingress'>): Change[] {
  return [
    [/ballast\.example\.com/g, names.plane],
    [/apps\.example\.com/g, names.applications],
    [/127\.0\.0\.1:8088/g, `127.0.0.1:${api}`],
    [/127\.0\.0\.1:8089/g, `127.0.0.1:${ingress}`],
  ];
}

function changed(text: string, changes: readonly Change[]): string {
  return changes.reduce((now, [what, by]) => {
    if (now.search(what) === -1) throw new Error(`The example has nothing like ${what}.`);
    return now.replace(what, by);
  }, text);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
