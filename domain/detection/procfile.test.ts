import { expect, test } from 'vitest';
import { treeOf } from '../../test/kinds/tree-of.ts';
import { detect } from './detect.ts';

const json = (value: unknown): string => JSON.stringify(value);
const node = (scripts: Record<string, string>, packages: string[] = ['express']) => ({
  'package.json': json({ scripts, dependencies: Object.fromEntries(packages.map((name) => [name, '1.0.0'])) }),
});
const rust = (...programs: string[]) => ({
  'Cargo.toml': '[package]\nname = "shop"\n',
  ...Object.fromEntries(programs.map((path) => [`src/${path}.rs`, ''])),
});
/** A source of each language, as it is without a Procfile. */
const sources: Readonly<Record<string, Record<string, string>>> = {
  node: node({ start: 'node server.js' }),
  python: { 'requirements.txt': 'flask', 'app.py': 'app = Flask(__name__)' },
  php: { 'composer.json': '{}', 'public/index.php': '' },
  ruby: { Gemfile: "gem 'rack'", 'config.ru': '' },
  elixir: { 'mix.exs': 'app: :shop,\n{:phoenix, "~> 1.8"}' },
  go: { 'go.mod': 'module a/shop\n', 'main.go': 'package main' },
  rust: rust('main'),
  java: { 'pom.xml': 'spring-boot-starter' },
  deno: { 'deno.json': '{}', 'main.ts': '' },
  dotnet: { 'shop.csproj': '<Project Sdk="Microsoft.NET.Sdk.Web">' },
};

function started(files: Record<string, string>) {
  const { detected, plan, message } = detect(treeOf(files));
  const web = detected.signals.find(({ detail }) => detail.startsWith('web: '));
  return { provider: detected.provider, start: plan?.start, port: plan?.port, message, said: web?.path };
}

test.each([
  ['node', 'node other.js --port 4567', 'node other.js --port 4567'],
  ['python', 'gunicorn other:app --port 4567', '.venv/bin/python -m gunicorn other:app --port 4567'],
  ['php', 'php artisan serve --port 4567', 'php artisan serve --port 4567'],
  ['ruby', 'bundle exec thin -p 4567', 'bundle exec thin -p 4567'],
  ['elixir', 'PORT=4567 mix run', 'PORT=4567 mix run'],
  ['go', 'A=1 ./bin/shop --port 4567', 'A=1 bin/app --port 4567'],
  ['rust', 'A=1 ./target/release/shop --port 4567', 'A=1 bin/app --port 4567'],
  ['java', 'java -jar a.jar --port 4567', 'java -jar a.jar --port 4567'],
  ['deno', 'deno run -A other.ts --port 4567', 'deno run -A other.ts --port 4567'],
  ['dotnet', 'dotnet other.dll --port 4567', 'dotnet other.dll --port 4567'],
])('a program of %s is started by %j of its Procfile, and listens there', (provider, web, start) => {
  const found = started({ ...sources[provider], Procfile: `release: true\r\nweb : ${web}\r\nweb: twice\n` });
  expect(found).toEqual({ provider, start, port: 4567, message: '', said: 'Procfile' });
});

test.each([
  ['python', 'ruby', 'gunicorn app:app'],
  ['node', 'ruby', 'node server.js'],
  ['node', 'php', 'npm run start'],
  ['node', 'elixir', 'yarn start'],
  ['java', 'ruby', 'java -jar a.jar'],
  ['python', 'node', 'python app.py'],
  ['go', 'node', 'bin/shop'],
  ['ruby', 'node', 'bundle exec puma'],
  ['php', 'python', 'vendor/bin/heroku-php-apache2 public/'],
])('of a source of %s and of %s the first is what the Procfile starts by %j', (provider, other, web) => {
  expect(started({ ...sources[other], ...sources[provider], Procfile: `web: ${web}\n` }).provider).toBe(provider);
});

test.each([
  ['the line of a program that was built', 'go', {}, 'shop serve', 'bin/app serve'],
  ['a file of the source', 'go', { 'start.sh': '' }, './start.sh bin/shop', './start.sh bin/shop'],
  ['a shell', 'go', {}, 'sh -c "bin/shop"', 'sh -c "bin/shop"'],
  ['a program by its name', 'rust', {}, 'shop --all', 'bin/app --all'],
  ['another program than the one that was built', 'rust', {}, 'target/release/other', 'target/release/other'],
])('%s is started as it is found in the image', (_, language, more, web, start) => {
  expect(started({ ...sources[language], ...more, Procfile: `web: ${web}\n` }).start).toBe(start);
});

test('of several programs the one that the Procfile starts is built', () => {
  const web = { Procfile: 'web: target/release/front\n' };
  const cargo = { ...rust('bin/server', 'bin/front'), ...web };
  expect(detect(treeOf(cargo)).plan?.steps[0]?.command).toContain('cp target/release/front bin/app');
  const main = 'package main';
  const go = { 'go.mod': 'module a/shop\n', 'cmd/server/main.go': main, 'cmd/front/main.go': main };
  expect(detect(treeOf({ ...go, Procfile: 'web: bin/front\n' })).plan?.steps[0]?.command).toContain('./cmd/front');
});

test.each([
  ['its files are served', 'npm start', node({ start: 'react-scripts start', build: 'make' }, ['react-scripts']), ''],
  ['the script for production', 'npm run dev', node({ dev: 'nodemon a.js', start: 'node a.js' }), 'npm run start'],
  ['the line itself', 'yarn start', node({ start: 'node a.js' }), 'yarn start'],
])('a Procfile that starts a server for development starts nothing: %s', (_, web, files, start) => {
  expect(started({ ...files, Procfile: `web: ${web}\n` })).toMatchObject({ start, message: '' });
});

test('a Dockerfile says how it is started, whatever a Procfile does', () => {
  const found = started({ ...sources.ruby, Dockerfile: 'EXPOSE 80', Procfile: 'web: bundle exec puma -p 4567\n' });
  expect(found).toMatchObject({ provider: 'dockerfile', port: 80, said: undefined });
});
