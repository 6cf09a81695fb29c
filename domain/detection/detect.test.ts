import { expect, test } from 'vitest';
import { detect, withoutDockerfiles } from './detect.ts';
import type { SourceTree } from './tree.ts';

const tree = (files: Record<string, string | undefined>): SourceTree => ({
  paths: Object.keys(files).sort(),
  text: (path) => files[path],
});
const json = (value: unknown): string => JSON.stringify(value);
const started = json({ scripts: { start: 'node server.js', build: 'tsc' } });

test('a source of a million files is read once, whatever is looked for in it', () => {
  const paths = Array.from({ length: 1_000_000 }, (_, at) => `src/${at % 1000}/${at}.txt`);
  let asked = 0;
  const found = detect({
    paths: [...paths, 'package.json'],
    text: (path) => {
      asked += 1;
      return path === 'package.json' ? started : '';
    },
  });
  expect(found.detected).toMatchObject({ provider: 'node', startCommand: 'npm run start' });
  expect(asked).toBeLessThan(200);
});

test('a thousand manifests cost a look at a bounded number of folders', () => {
  const files = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, at) => [
      `apps/${at}/package.json`,
      json({ name: `app-${at}`, scripts: { start: 'node .' } }),
    ]),
  );
  const { detected, message } = detect(tree({ ...files, 'package.json': json({ workspaces: ['apps/*'] }) }));
  expect(detected.buildable).toBe(false);
  expect(message).toMatch(
    /^The source has 200 applications: choose one as the context: (?:apps\/\d+, ){11}apps\/\d+ and 188 more\.$/,
  );
});

test.each([
  ['an array', '[]'],
  ['a text', '"next"'],
  ['null', 'null'],
  ['no JSON', '{"scripts": '],
  ['nothing', ''],
  ['nested deeper than can be parsed', '['.repeat(200_000)],
])('a package.json that is %s is refused by its name', (_, text) => {
  expect(detect(tree({ 'package.json': text })).message).toBe(
    'package.json is not a JSON object, or larger than 256 kB: correct it.',
  );
});

test('fields of a package.json that have another form than theirs are as if they were not there', () => {
  const odd = {
    name: 7,
    scripts: [1],
    dependencies: 'next',
    devDependencies: ['next'],
    workspaces: { packages: [{}] },
    engines: 'node',
  };
  const { detected, message } = detect(
    tree({ 'package.json': json({ ...odd, packageManager: {}, volta: [], main: 3 }) }),
  );
  expect(detected.buildable).toBe(false);
  expect(message).toContain('package.json has no script');
  expect(detect(tree({ 'package.json': json({ ...odd, scripts: { start: { a: 1 }, build: 'x' } }) })).message).not.toBe(
    '',
  );
});

test('packages of a workspace that need each other in a circle are built once each', () => {
  const member = (name: string, needs: string, more: object = {}) =>
    json({ name, dependencies: { [needs]: '*', express: '5' }, scripts: { build: 'tsc' }, ...more });
  const source = tree({
    'package.json': json({ workspaces: ['packages/*'] }),
    'package-lock.json': '',
    'packages/a/package.json': member('a', 'b', { scripts: { build: 'tsc', start: 'node a.js' } }),
    'packages/b/package.json': member('b', 'c'),
    'packages/c/package.json': member('c', 'a'),
  });
  expect(detect(source, 'packages/a').detected.buildCommand).toBe(
    ['c', 'b', 'a'].map((name) => `npm run build --workspace packages/${name}`).join(' && '),
  );
});

test.each(['npm', 'yarn', 'pnpm', 'bun'])('%s builds what a package without a build of its own needs', (name) => {
  const source = tree({
    'package.json': json({ workspaces: ['*'], packageManager: `${name}@4.0.0` }),
    'words/package.json': json({ name: 'words', scripts: { build: 'tsc' } }),
    'web/package.json': json({ name: 'web', dependencies: { words: '*' }, scripts: { start: 'node web.js' } }),
    'alone/package.json': json({ name: 'alone', scripts: { start: 'node alone.js' } }),
  });
  const build = { npm: '--workspace words', yarn: 'workspace words', pnpm: '--filter web...', bun: '--filter words' }[
    name
  ];
  expect(detect(source, 'web').detected.buildCommand).toContain(build);
  expect(detect(source, 'web').plan).toMatchObject({ directory: '', startIn: 'web', start: `${name} run start` });
  expect(detect(source, 'alone').detected.buildCommand).toBe('');
});

test.each([
  ['', 'yarn install --no-immutable', 'node-modules'],
  ['nodeLinker: pnp\n', 'yarn install --no-immutable', 'node-modules'],
  ['nodeLinker: "pnpm"\n', 'yarn install --no-immutable', undefined],
])('Yarn with the settings %j', (text, install, linker) => {
  const found = detect(
    tree({
      '.yarnrc.yml': text,

      'package.json': json({ packageManager: 'yarn@4.10.3', scripts: { start: 'node .' } }),
    }),
  );
  expect(found.detected.installCommand).toBe(install);
  expect(found.plan?.environment.YARN_NODE_LINKER).toBe(linker);
});

test('scripts that call each other in a circle, and one of a megabyte, start nothing', () => {
  const circle = { start: 'npm run serve', serve: 'npm run start', build: 'npm run build' };
  expect(
    detect(tree({ 'package.json': json({ scripts: circle, dependencies: { express: '5' } }) })).detected.startCommand,
  ).toBe('npm run start');
  const long = json({ scripts: { start: `node ${'a'.repeat(200_000)}`, dev: `vite ${' -'.repeat(4_000)}` } });
  const { detected, message } = detect(tree({ 'package.json': long }));
  expect([detected.buildable, message.length < 400]).toEqual([false, true]);
  expect(detect(tree({ 'package.json': json({ scripts: { start: 'x'.repeat(1_000_000) } }) })).message).toContain(
    'larger than 256 kB',
  );
});

test('names with line ends, quotes and orders to a shell stay names', () => {
  const folder = "a\n; touch '$(x)'";
  const source = tree({
    'package.json': json({ workspaces: ['*'] }),
    [`${folder}/package.json`]: json({
      name: '`x`; y',
      scripts: { start: 'node .', build: 'tsc' },
      dependencies: { express: '5' },
    }),
    'b/package.json': json({ scripts: { start: 'node .' } }),
  });
  expect(detect(source).message).toBe("The source has 2 applications: choose one as the context: a?; touch '$(x)', b.");
  const { plan, detected } = detect(source, folder);
  const quoted = `'a\n; touch '\\''$(x)'\\'''`;
  expect(plan?.steps[1]?.command).toBe(`npm run build --workspace ${quoted}`);
  expect(detected.startCommand).toBe(`npm run start --workspace ${quoted}`);
  expect(plan).toMatchObject({ start: 'npm run start', startIn: folder });
});

test.each([
  ['../other', /"\.\."/],
  ['/etc', /"\/" at its beginning/],
  ['a/../../b', /"\.\."/],
  ['nowhere', /no folder nowhere/],
  ['package.json', /no folder package\.json/],
])('the context %s is refused with what to do', (context, message) => {
  const found = detect(tree({ 'package.json': started }), context);
  expect(found.message).toMatch(message);
  expect([found.plan, found.detected.buildable]).toEqual([undefined, false]);
});

test('a context is a folder however it is written, and packages of others are nobody’s application', () => {
  const source = tree({
    'shop/web/package.json': started,
    'shop/node_modules/x/package.json': started,
    'vendor/a/go.mod': '',
  });
  expect(detect(source, './shop//web/').plan?.directory).toBe('shop/web');
  const only = detect(source);
  expect(only.plan?.directory).toBe('shop/web');
  expect(only.detected).toMatchObject({ monorepo: true, buildable: true });
});

test('a lockfile of one manager and the pin of another: the pin counts, and a signal says so', () => {
  const { detected } = detect(
    tree({
      'package.json': json({ packageManager: 'npm@10.9.0', scripts: { start: 'node .' } }),
      'pnpm-lock.yaml': '',
    }),
  );
  expect(detected).toMatchObject({ packageManager: 'npm', installCommand: 'npm install --include=dev' });
  expect(detected.signals).toContainEqual({
    path: 'pnpm-lock.yaml',
    detail: 'A lockfile of pnpm, too: npm is used, since the pinned one counts',
  });
});

test.each([
  'vite',
  'next dev',
  'nodemon server.ts',
  'ts-node-dev src',
  'webpack serve',
  'node --watch app.ts',
  'vite preview',
  'cross-env A=1 vite --host',
])('a start of `%s` is none', (start) => {
  const { detected, message } = detect(
    tree({ 'package.json': json({ scripts: { start }, dependencies: { express: '5' } }) }),
  );
  expect(detected.buildable).toBe(false);
  expect(message).toContain('which is for development');
});

test.each([
  ['next start -p 4100', 4100],
  ['next start --port=4200', 4200],
  ['cross-env PORT=4300 node server.js', 4300],
  ['next start', 3000],
])('`%s` listens on %i', (start, port) => {
  const { detected, plan } = detect(
    tree({ 'package.json': json({ scripts: { build: 'next build', start }, dependencies: { next: '15' } }) }),
  );
  expect([detected.port, plan?.port]).toEqual([port, port]);
  expect(detected.portSource).toBe(port === 3000 ? 'framework' : 'script');
});

test.each([
  ['v20.11.1', '20.11.1'],
  ['lts/*', '24'],
  ['lts/iron', '20'],
  ['>=18', '24'],
  ['>=18 <21', '20'],
  ['^18.17 || ^20', '20'],
  ['20.x', '20'],
  ['12 - 15', '14'],
  ['nonsense', ''],
])('Node %s is %s', (said, version) => {
  const { detected, plan } = detect(
    tree({ 'package.json': json({ engines: { node: said }, scripts: { start: 'node .' } }) }),
  );
  expect(detected.nodeVersion).toBe(version);
  expect(plan?.toolchain[0]).toEqual({ name: 'node', version });
});

test.each([
  ['FROM node:24\nEXPOSE 80 443/tcp\nCMD node .', 80, 'dockerfile'],
  ['FROM node:24\nENV PORT=4000', 4000, 'dockerfile'],
  ['FROM a\nCMD ["uvicorn", "a:b", "--port", "9000"]', 9000, 'dockerfile'],
  ['FROM node AS build\nFROM nginx:1', 80, 'default'],
  ['FROM scratch', 8080, 'default'],
  ['EXPOSE ${PORT}', 8080, 'default'],
])('a Dockerfile %j listens on %i', (text, port, portSource) => {
  const source = tree({ Dockerfile: text, 'package.json': started });
  expect(detect(source)).toMatchObject({
    detected: { provider: 'dockerfile', port, portSource },
    plan: { provider: 'dockerfile', steps: [] },
  });
  expect(detect(withoutDockerfiles(source)).detected.provider).toBe('node');
});

test('what a program in Python is started with is in its environment, wherever that was made', () => {
  const source = tree({
    'requirements.txt': 'flask\n',
    'app.py': 'app = Flask(__name__)\n',
    Procfile: 'web: flask db upgrade; gunicorn app:app\n',
  });
  const { detected, plan } = detect(source);
  expect(detected.startCommand).toBe('flask db upgrade; gunicorn app:app');
  expect(plan?.start).toBe('.venv/bin/python -m flask db upgrade; .venv/bin/python -m gunicorn app:app');
});

test.each([
  ['requirements.txt', 'flask\n', '.venv/bin/python -m pip install gunicorn', {}],
  [
    'uv.lock',
    '',
    'uv pip install gunicorn --python .venv/bin/python',
    { UV_PYTHON: 'python3', UV_PYTHON_DOWNLOADS: 'never' },
  ],
  ['poetry.lock', '', '.venv/bin/python -m pip install gunicorn', { POETRY_VIRTUALENVS_IN_PROJECT: 'true' }],
])('where %s says the packages, the server comes into the same environment', (path, text, line, environment) => {
  const project = { 'pyproject.toml': '[project]\ndependencies = ["flask"]\n', 'app.py': 'app = Flask(__name__)\n' };
  const { plan } = detect(tree({ ...project, [path]: text }));
  expect(plan?.steps[0]?.command.endsWith(` && ${line}`)).toBe(true);
  expect(plan?.environment).toEqual({ PYTHONUNBUFFERED: '1', ...environment });
});

test('documents of Python are built by a program of their environment', () => {
  const { plan } = detect(tree({ 'requirements.txt': 'mkdocs\n', 'mkdocs.yml': '' }));
  expect(plan?.steps[1]?.command).toBe('.venv/bin/python -m mkdocs build');
});

test('lists of packages that include each other are read once each', () => {
  const source = tree({
    'requirements.txt': '-r a.txt\n',
    'a.txt': '-r requirements.txt\nfastapi\n',
    'main.py': 'app = FastAPI()',
  });
  expect(detect(source).detected.installCommand).toBe('pip install -r requirements.txt && pip install uvicorn');
});

test('an empty source says what would be needed', () => {
  expect(detect({ paths: [], text: () => undefined }).message).toMatch(
    /^Nothing that can be built was found: a package\.json, /,
  );
  expect(detect(tree({ 'package.json': undefined })).detected.buildable).toBe(false);
});

/** A pattern that is quadratic would take minutes for one of these. */
test.each(['\n', ' ', '\t#', '[a]\n', 'a = ', '- ', '<module> '])(
  'texts of %j alone, 256 kB of it, are read in their length',
  (piece) => {
    const text = piece.repeat(Math.floor(262_144 / piece.length));
    const said = [
      'Cargo.toml',
      'Pipfile',
      'Procfile',
      'build.gradle',
      'go.mod',
      'main.go',
      'netlify.toml',
      'next.config.js',
    ];
    const more = [
      'pnpm-workspace.yaml',
      'pom.xml',
      'pyproject.toml',
      'requirements.txt',
      'settings.gradle',
      'app.py',
      '.env.example',
      '.nvmrc',
    ];
    const files = Object.fromEntries([...said, ...more, 'src/main.rs', 'server.js'].map((path) => [path, text]));
    const manifest = json({ dependencies: { express: '5' }, scripts: { start: 'node server.js' } });
    expect(detect(tree({ ...files, 'package.json': manifest })).detected.provider).toBe('node');
    expect(detect(tree({ ...files, Dockerfile: text })).detected.provider).toBe('dockerfile');
    for (const left of ['Cargo.toml', 'go.mod', 'pom.xml', 'requirements.txt']) {
      expect(typeof detect(tree({ ...files, [left]: undefined })).message).toBe('string');
    }
  },
);
