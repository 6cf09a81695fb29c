import { expect, test } from 'vitest';
import { treeOf } from '../../../test/kinds/tree-of.ts';
import { detect } from '../detect.ts';

const json = (value: unknown): string => JSON.stringify(value);
const details = (files: Record<string, string>): string[] =>
  detect(treeOf(files)).detected.signals.map(({ detail }) => detail);

const vite = json({ scripts: { build: 'vite build', dev: 'vite' }, devDependencies: { vite: '7' } });
const laravel = {
  'composer.json': json({ require: { php: '^8.2', 'laravel/framework': '^12' } }),
  'public/index.php': '',
  'package.json': vite,
  'vite.config.js': '',
  'database/migrations/1.php': '',
};

test('a site of Laravel is one of PHP, and its pages are a step of it', () => {
  const { detected, plan } = detect(treeOf(laravel));
  expect(detected).toMatchObject({
    provider: 'php',
    framework: 'laravel',
    static: false,
    buildCommand: 'npm run build',
  });
  expect(plan?.steps.map(({ name }) => name)).toEqual(['install', 'install assets', 'build assets']);
  expect(plan?.toolchain.map(({ name }) => name)).toEqual(['php', 'composer', 'node']);
  expect(plan?.toolchain[0]?.demand).toEqual({ text: '^8.2', path: 'composer.json' });
  expect(details(laravel)).toContain('A release command is proposed: php artisan migrate --force');
});

test('where FrankenPHP is absent the start falls back to the server of PHP', () => {
  const start = detect(treeOf(laravel)).plan?.start ?? '';
  expect(start).toMatch(/^if command -v frankenphp >\/dev\/null; then exec frankenphp php-server --root public /);
  expect(start).toMatch(/; else PHP_CLI_SERVER_WORKERS=\S+ exec php -S 0\.0\.0\.0:\$PORT -t public; fi$/);
});

test('extensions that every PHP has are not demanded', () => {
  const require = { 'ext-json': '*', 'ext-ctype': '*', 'ext-gd': '*', 'ext-pdo_mysql': '*', 'ext-$(x)': '*' };
  const { plan } = detect(treeOf({ 'composer.json': json({ require }), 'index.php': '' }));
  expect(plan?.toolchain[0]?.extensions?.demanded).toEqual(['gd', 'pdo_mysql']);
});

test.each([
  [
    'a library of PHP',
    { 'composer.json': json({ type: 'library' }), 'src/A.php': '' },
    /library: no folder has an index\.php/,
  ],
  ['a composer.json that is none', { 'composer.json': '[' }, /composer\.json is not a JSON object/],
  ['a rackup file without a Gemfile', { 'config.ru': 'run App' }, /no Gemfile says which packages/],
  ['gems of a tool', { Gemfile: "gem 'fastlane'" }, /neither config\.ru nor a Rails application/],
  [
    'tasks for development alone',
    { 'deno.json': json({ tasks: { start: 'deno run --watch dev.ts' } }) },
    /no task "start" and no main\.ts/,
  ],
  ['an umbrella of Elixir', { 'mix.exs': 'apps_path: "apps"' }, /umbrella/],
  [
    'a solution of libraries',
    { 'a.sln': '', 'A/A.csproj': '<Project Sdk="Microsoft.NET.Sdk">' },
    /no project that serves/,
  ],
])('%s is refused with what to do', (_, files, message) => {
  expect(detect(treeOf(files as Record<string, string>)).message).toMatch(message);
});

test('packages of Ruby beside those of Node are not taken for the application', () => {
  const files = { Gemfile: "gem 'fastlane'", 'package.json': json({ scripts: { start: 'node .' } }) };
  expect(detect(treeOf(files)).detected.provider).toBe('node');
});

test('a Rails application builds the files that it has', () => {
  const rails = { Gemfile: "ruby '3.4.1'\ngem 'rails'\n", 'config/application.rb': '' };
  expect(detect(treeOf(rails)).detected.buildCommand).toBe('');
  const { detected, plan } = detect(treeOf({ ...rails, 'app/assets/a.css': '' }));
  expect(detected.buildCommand).toBe('bundle exec rails assets:precompile');
  expect(plan?.steps.at(-1)?.command).toBe('SECRET_KEY_BASE_DUMMY=1 bundle exec rails assets:precompile');
  expect(plan?.toolchain[0]).toMatchObject({ name: 'ruby', version: '3.4.1', demand: { text: '3.4.1' } });
});

test.each([
  ['.tool-versions', 'nodejs 22.1.0\nruby 3.3.6\n'],
  ['mise.toml', '[env]\nA = "1"\n[tools]\nnode = "22"\nruby = "3.3.6"\n'],
  ['.ruby-version', 'ruby-3.3.6\n'],
])('%s says the version of Ruby where the Gemfile does not', (file, text) => {
  const { plan } = detect(treeOf({ Gemfile: "gem 'rack'", 'config.ru': '', [file]: text }));
  expect(plan?.toolchain[0]).toEqual({ name: 'ruby', version: '3.3.6' });
});

test('tasks of Deno that watch are not started, and comments are read over', () => {
  const text =
    '{\n  // Tasks\n  "tasks": { "start": "deno run -A --watch dev.ts", "serve": "deno run --allow-net server.ts" },\n}';
  expect(detect(treeOf({ 'deno.jsonc': text })).detected.startCommand).toBe('deno run --allow-net server.ts');
});

test('of several projects of .NET that serve one is chosen by its folder', () => {
  const web = '<Project Sdk="Microsoft.NET.Sdk.Web"><AssemblyName>Front</AssemblyName></Project>';
  const files = { 'a.sln': '', 'src/Web/Web.csproj': web, 'src/Api/Api.csproj': web, 'tests/Web.Tests/T.csproj': web };
  expect(detect(treeOf(files)).message).toBe(
    'The source has 2 applications: choose one as the context (--context DIR): src/Api, src/Web.',
  );
  const { plan } = detect(treeOf(files), 'src/Web');
  expect(plan).toMatchObject({ directory: '', startIn: 'src/Web/bin/publish' });
  expect(plan?.start).toBe('ASPNETCORE_URLS=http://0.0.0.0:$PORT dotnet Front.dll');
});

test('Elixir needs no registry where it has no packages, and no release without settings of its runtime', () => {
  const plain = detect(treeOf({ 'mix.exs': 'app: :a', Procfile: 'web: mix run --no-halt' }));
  expect(plain.plan?.steps.map(({ command }) => command)).toEqual(['mix compile']);
  const phoenix = { 'mix.exs': 'app: :a,\n{:phoenix, "~> 1.8"}', 'priv/repo/migrations/1.exs': '' };
  const { detected } = detect(treeOf(phoenix));
  expect([detected.startCommand, detected.buildCommand]).toEqual(['mix phx.server', 'mix compile']);
  expect(details(phoenix)).toContain('A release command is proposed: mix ecto.migrate');
});

/** A pattern that is quadratic would take minutes for one of these. */
test.each(['\n', ' ', '\t', 'gem ', '{:a, ', ' -a', '<Project ', '  a:\n', 'a = "', 'ARG A=$A ', '[tools]\n', '${A'])(
  'manifests of %j alone, 256 kB of it, are read in their length',
  (piece) => {
    const text = piece.repeat(Math.floor(262_144 / piece.length));
    const names = [
      'composer.json',
      'Gemfile',
      'mix.exs',
      'deno.jsonc',
      'a.csproj',
      'hugo.toml',
      'Dockerfile',
      'pom.xml',
    ];
    const beside = [
      'config.ru',
      'Procfile',
      'mise.toml',
      '.tool-versions',
      'netlify.toml',
      '.ruby-version',
      'setup.py',
    ];
    const settings = ['gradle/libs.versions.toml', 'src/main/resources/application.yml', 'config/application.rb'];
    const files = Object.fromEntries([...beside, ...settings, 'index.php'].map((path) => [path, text]));
    for (const name of names) expect(typeof detect(treeOf({ ...files, [name]: text })).message).toBe('string');
    for (const name of ['Gemfile', 'mix.exs', 'a.csproj', 'build.gradle'])
      expect(
        typeof detect(treeOf({ ...files, 'index.php': undefined, [name]: `alias(libs.plugins.x)\n${text}` })).message,
      ).toBe('string');
  },
);
