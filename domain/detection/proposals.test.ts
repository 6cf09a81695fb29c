import { expect, test } from 'vitest';
import { treeOf } from '../../test/kinds/tree-of.ts';
import { detect } from './detect.ts';

const json = (value: unknown): string => JSON.stringify(value);
const sources: Readonly<Record<string, Record<string, string>>> = {
  node: { 'package.json': json({ scripts: { start: 'node .' } }) },
  python: { 'requirements.txt': 'flask', 'app.py': 'app = Flask(__name__)' },
  php: { 'composer.json': '{}', 'public/index.php': '' },
  ruby: { Gemfile: "gem 'rack'", 'config.ru': '' },
  elixir: { 'mix.exs': 'app: :shop,\n{:phoenix, "~> 1.8"}' },
  go: { 'go.mod': 'module a/shop\n', 'cmd/server/main.go': 'package main', 'cmd/worker/main.go': 'package main' },
  rust: { 'Cargo.toml': '[package]\nname = "shop"\n', 'src/main.rs': '', 'src/bin/worker.rs': '' },
  java: { 'pom.xml': 'spring-boot-starter' },
  deno: { 'deno.json': '{}', 'main.ts': '' },
  dotnet: { 'shop.csproj': '<Project Sdk="Microsoft.NET.Sdk.Web">' },
  dockerfile: { Dockerfile: 'EXPOSE 80' },
};

function proposedOf(files: Record<string, string>, context = '') {
  const { detected, plan } = detect(treeOf(files), context);
  const said = detected.signals.filter(({ detail }) => / is proposed: | starts another program/.test(detail));
  return { lines: detected.proposed, run: plan?.proposed, said: said.map(({ path, detail }) => `${path}: ${detail}`) };
}

test.each(Object.keys(sources))('a Procfile beside a program of %s proposes its further lines', (language) => {
  const Procfile = '# Of all\nweb: serve\nclock: ./tick --hourly\nrelease: ./migrate up\nQUEUE_mail: ./mail\n-x: no\n';
  expect(proposedOf({ ...sources[language], Procfile })).toEqual({
    lines: [
      { name: 'release', line: './migrate up', command: [] },
      { name: 'clock', line: './tick --hourly', command: [] },
      { name: 'queue-mail', line: './mail', command: [] },
    ],
    run: [
      { name: 'release', line: './migrate up' },
      { name: 'clock', line: './tick --hourly' },
      { name: 'queue-mail', line: './mail' },
    ],
    said: [
      'Procfile: A release command is proposed: ./migrate up',
      'Procfile: A process is proposed: clock: ./tick --hourly',
      'Procfile: A process is proposed: queue-mail: ./mail',
    ],
  });
});

test.each([
  ['python', 'celery -A app worker', '.venv/bin/python -m celery -A app worker'],
  ['go', 'A=1 bin/server work', 'A=1 bin/app work'],
  ['go', 'shop work', 'bin/app work'],
  ['rust', './target/release/shop work', 'bin/app work'],
])('a line beside a program of %s, %j, is run as its image has it', (language, line, run) => {
  expect(proposedOf({ ...sources[language], Procfile: `worker: ${line}\n` }).run).toEqual([
    { name: 'worker', line: run },
  ]);
});

test.each([
  ['go', 'bin/worker'],
  ['go', 'worker --all'],
  ['go', 'bin/unknown'],
  ['rust', 'target/release/worker'],
])('a line of %s that starts a program which is not built, %j, is said and not proposed', (language, line) => {
  expect(proposedOf({ ...sources[language], Procfile: `worker: ${line}\n` })).toEqual({
    ...{ lines: [], run: [] },
    said: [`Procfile: worker starts another program, which is not in the image: ${line}`],
  });
});

test('the release command of a Procfile goes before migrations of the framework, which are run in their environment', () => {
  const django = { 'requirements.txt': 'django', 'manage.py': '' };
  expect(proposedOf({ ...django, Procfile: 'web: serve\n' })).toMatchObject({
    lines: [{ name: 'release', line: 'python manage.py migrate --noinput' }],
    run: [{ name: 'release', line: '.venv/bin/python manage.py migrate --noinput' }],
    said: ['requirements.txt: A release command is proposed: python manage.py migrate --noinput'],
  });
  const own = proposedOf({ ...django, Procfile: 'web: serve\nrelease: ./own\n' });
  expect(own.lines.map(({ line }) => line)).toEqual(['./own']);
});

test('what the configuration file runs is not proposed again, and a file that cannot be used says nothing', () => {
  const files = { ...sources.ruby, Procfile: 'release: a\nworker: b\nclock: c\n' };
  const config = 'releaseCommand: [a]\nservices:\n  shop:\n    processes:\n      clock: { kind: worker }\n';
  const names = (more: Record<string, string>) => proposedOf({ ...files, ...more }).lines.map(({ name }) => name);
  expect(names({ 'ballast.yaml': config })).toEqual(['worker']);
  expect(names({ 'ballast.yaml': `${config}other: 1\n` })).toEqual(['release', 'worker', 'clock']);
  expect(names({ 'ballast.yaml': config, 'ballast.yml': config })).toEqual(['release', 'worker', 'clock']);
});

test('pages propose nothing, a line that is too long is left out, and so are more than a few', () => {
  expect(proposedOf({ 'index.html': '', Procfile: 'worker: a\n' }).lines).toEqual([]);
  const long = `long: ${'a'.repeat(501)}\n`;
  const many = Array.from({ length: 20 }, (_, at) => `p${at}: a\n`).join('');
  expect(proposedOf({ ...sources.ruby, Procfile: `${long}${many}` }).lines.map(({ name }) => name)).toEqual(
    Array.from({ length: 8 }, (_, at) => `p${at}`),
  );
});

const askedOf = (files: Record<string, string>, context = '') => {
  const { envTemplate, requiredVariables } = detect(treeOf(files), context).detected;
  return [envTemplate, requiredVariables];
};

test.each([
  ['.env.example'],
  ['.env.sample'],
  ['.env.template'],
  ['.env.dist'],
  ['.env.local.example'],
  ['.example.env'],
  ['env.example'],
  ['example.env'],
])('the variables are named that %s asks for and nothing gives', (name) => {
  const text =
    'DATABASE_URL=\nLEVEL=info\nPORT=\n# optional\nSENTRY=\n# OFF=\nAPI_KEY=your-key\nNODE_ENV=\nRACK_ENV=\n';
  expect(askedOf({ ...sources.node, [name]: text })).toEqual([name, ['DATABASE_URL', 'API_KEY', 'RACK_ENV']]);
});

test('the template of the folder goes before that of the whole, also where the application is the only one', () => {
  const below = { 'web/package.json': sources.node?.['package.json'] ?? '', 'web/.env.example': 'A=', 'go.txt': '' };
  expect(askedOf({ ...below, '.env.example': 'B=' }, 'web')).toEqual(['web/.env.example', ['A']]);
  expect(askedOf(below)).toEqual(['web/.env.example', ['A']]);
  expect(askedOf({ ...below, 'web/.env.example': 'C=1', 'ballast.yaml': '' }, 'web')).toEqual(['web/.env.example', []]);
  expect(askedOf({ 'a/index.html': '', '.env.sample': 'B=' }, 'a')).toEqual(['.env.sample', ['B']]);
  expect(askedOf({ ...sources.ruby })).toEqual(['', []]);
});

test('variables of the configuration file are given, whichever service they are of', () => {
  const config = 'env: { A: "1" }\nservices: { shop: { env: { B: "2" } } }\n';
  const files = { ...sources.ruby, '.env.example': 'A=\nB=\nC=\n__proto__=\n' };
  expect(askedOf({ ...files, 'ballast.yaml': config })).toEqual(['.env.example', ['C', '__proto__']]);
});

test('a long template is cut', () => {
  const text = Array.from({ length: 5_000 }, (_, at) => `KEY_${at}=\n`).join('');
  const [, names] = askedOf({ ...sources.ruby, '.env.example': `${'A'.repeat(101)}=\n${text}` });
  expect(names).toEqual(Array.from({ length: 40 }, (_, at) => `KEY_${at}`));
});

test('a template and a configuration file of the whole are read once, however many applications are below', () => {
  const apps = Array.from({ length: 200 }, (_, at) => [`apps/${at}/Gemfile`, "gem 'rack'"] as const);
  const more = apps.map(([path]) => [path.replace('Gemfile', 'config.ru'), ''] as const);
  const texts: Record<string, string> = { ...Object.fromEntries([...apps, ...more]) };
  texts['.env.example'] = 'A=\n'.repeat(80_000);
  texts['ballast.yaml'] = '';
  const asked = new Map<string, number>();
  const tree = treeOf(texts);
  const text = (path: string) => {
    asked.set(path, (asked.get(path) ?? 0) + 1);
    return tree.text(path);
  };
  expect(detect({ paths: tree.paths, text }).message).toContain('200 applications');
  expect(asked.get('ballast.yaml')).toBe(1);
  expect(asked.get('.env.example')).toBe(1);
});
